#!/usr/bin/env python3
"""usage: crash.py BUILD RUNS        as root, for the full disks

What kills, power cuts, failing and full disks, and other processes do to the FILE
of `bloom uniq -f`. After each of them:
  * the next run accepts FILE
  * no line is recorded that was not printed
  * no line that was recorded is forgotten (--last and --for: no young one)
  * what was printed is recorded, but for the last write, and what lay in a pipe
It ends with "N passed, N failed"."""
import fcntl, os, random, re, shutil, signal, struct, subprocess, sys, tempfile
import termios, time

build, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2])
bloom = build + '/bloom'
KINDS = {'fixed': ['--fixed', '-n', '6000'], 'chain': ['-n', '50'],
         'window': ['--last', '700'], 'age': ['--for', '1d', '-n', '700']}
WRITE = 8192 + 256 * 8                  # bytes: a block, and the rest of a batch
passed = failed = 0
rnd = random.Random(1)


def check(good, *what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print('FAILED:', *what, flush=True)


def lines(first, last):
    return [str(i) for i in range(first, last + 1)]


def text(of):
    return ''.join(line + '\n' for line in of).encode()


def whole(output):                      # its lines, but for one without an end
    return output.decode().split('\n')[:-1]


def run(*words, feed=b'', env=None, before=()):
    return subprocess.run([*before, bloom, *words], input=feed, env=env,
                          capture_output=True, timeout=1200)


def uniq(kind, file='f'):
    return ['uniq', *KINDS[kind], '-p', '1e-12', '-f', file]


def known(file, of, env=None):          # None: FILE is refused
    r = run('check', file, feed=text(of), env=env)
    return set(whole(r.stdout)) if r.returncode < 2 else None


def restart(*files):
    for f in files or ['f']:
        if os.path.exists(f):
            os.remove(f)


def judge(what, kind, printed, all_lines, again=True):
    """FILE f after a run that has printed these lines ended somehow."""
    before = known('f', all_lines) if os.path.exists('f') else set()
    r = run(*uniq(kind))
    check(r.returncode == 0, what, 'the next run:', r.stderr)
    now = known('f', all_lines)
    if now is None:
        return check(False, what, 'refused')
    check(now >= (before or set()), what, 'forgotten')
    check(now <= set(printed), what, 'not printed:', len(now - set(printed)))
    if kind in ('fixed', 'chain'):
        missing = [line for line in printed if line not in now]
        check(len(text(missing)) <= WRITE, what, 'not recorded:', len(missing))
        if again:
            rest = run(*uniq(kind), feed=text(all_lines))
            check(set(whole(rest.stdout)) | set(printed) == set(all_lines),
                  what, 'lost')
    check(not [n for n in os.listdir('.') if n.startswith('f.')], what, 'beside')


# ---- Each system call: killed there, or it fails ------------------------------

def at_call(kind, call, n, fault):
    restart()
    r = run(*uniq(kind), feed=text(input_lines), before=[
        'strace', '-o', 'trace', '-e', 'trace=' + call,
        '-e', 'inject=%s:%s:when=%d' % (call, fault, n)])
    hit = re.search('INJECTED|killed by', open('trace').read())
    if hit and 'error' in fault and call != 'write':    # of a message, too
        check(r.returncode == 2 and r.stderr, call, n, fault, r)
    if hit:
        judge('%s, %s %d: %s' % (kind, call, n, fault), kind, whole(r.stdout),
              input_lines, again=fault.startswith('signal'))
    return bool(hit)


def each_call(fault, calls):
    count = 0
    for kind in KINDS:
        for call in calls.split():
            n = 1
            while at_call(kind, call, n, fault):
                n, count = n + (1 if n < 8 else 3), count + 1
    print(count, 'calls:', fault, flush=True)
    check(count > 10, fault, 'hits', count)


# ---- Power cuts: any page may be as it is, or as it was at the last fsync -----

def power_cuts(kind, is_new):
    restart()
    input_lines = lines(1, 6000)
    env = dict(os.environ, LD_PRELOAD=build + '/cuts.so', CUTS=os.path.abspath('f'))
    printed, synced = set(), b''
    if not is_new:
        printed = set(whole(run(*uniq(kind), feed=text(input_lines[:900])).stdout))
        synced = open('f', 'rb').read()
    r = run(*uniq(kind), feed=text(input_lines), env=env)
    printed |= set(whole(r.stdout))
    cuts = sorted(n for n in os.listdir('.') if n.startswith('f.'))
    check(len(cuts) > 5, kind, 'power cuts', cuts)
    for name in cuts:
        now = open(name, 'rb').read()
        open('synced', 'wb').write(synced)
        base = known('synced', input_lines)     # None: it is still to be made
        newest = max(map(int, known(name, input_lines) or ['0']))
        young = {x for x in base or () if kind in ('fixed', 'chain')
                 or int(x) > newest - 700}
        for share in (0, 0.5, 1):
            size = rnd.choice([len(synced), len(now)])
            if not share < 1:
                size = len(now)
            pages = [(now if rnd.random() < share else synced)[i:i + 4096]
                     .ljust(4096, b'\0') for i in range(0, size, 4096)]
            open('cut', 'wb').write(b''.join(pages)[:size])
            has = known('cut', input_lines)
            check(has is not None or base is None, kind, name, share, 'refused')
            check((has or set()) <= printed, kind, name, share, 'not printed')
            r = run(*uniq(kind, 'cut'))
            check(r.returncode == 0, kind, name, share, r.stderr)
            for has in has, known('cut', input_lines):
                check((has or set()) >= young, kind, name, share, 'lost')
        if name.endswith('.synced'):
            synced = now
    print(kind + (', new' if is_new else '') + ':', len(cuts),
          'copies of FILE, 3 power cuts each', flush=True)
    restart('cut', 'synced', *cuts)


# ---- Kills at random, many in a row on one FILE ------------------------------

def random_kills(kind, n):
    """Half of the outputs are pipes. The clock of `age` is set forward by hours
    and, now and then, back: then lines may be forgotten as much earlier."""
    global KINDS
    small, size, clock, passed_by = KINDS, 3000, 0, 0
    KINDS = dict(small, fixed=['--fixed', '-n', str(size * n)],
                 window=['--last', '9000'], age=['--for', '1d', '-n', '40000'])
    restart()
    printed, order, when, again, most, midway = set(), [], {}, 0, 0, 0
    for i in range(n):
        if kind == 'age':
            step = rnd.choice([60, 7200, 40000, -9000, 1])
            clock, passed_by = clock + step, passed_by + max(step, 0)
            open('clock', 'w').write(str(1000000000 + clock))
        env = dict(os.environ, CLOCK='clock', LD_PRELOAD=build + '/fast_clock.so'
                   ) if kind == 'age' else None
        young = [line for line, (at, t) in when.items()     # are still known
                 if kind == 'age' and passed_by - t < 86000 and i - at < 12
                 or kind == 'window' and i - at < 2]
        if kind in ('fixed', 'chain'):
            young = rnd.sample(order, min(len(order), 6000))
        new = lines(i * size, i * size + size - 1)
        feed = text(rnd.sample(young, min(500, len(young))) + new)
        limit = rnd.randrange(len(text(new)))
        open('in', 'wb').write(feed)
        out = open('out', 'wb')
        p = subprocess.Popen([bloom, *uniq(kind), 'in'], env=env, stderr=out,
                             stdout=subprocess.PIPE if i % 2 else out)
        got = b''
        if i % 2:                       # a reader that reads all
            while len(got) < limit and (some := os.read(p.stdout.fileno(), 4096)):
                got += some
            p.kill()
            p.wait()                    # what is in the pipe now is not read
        else:
            while os.path.getsize('out') < limit and p.poll() is None:
                pass
            p.kill()
            p.wait()
            got = open('out', 'rb').read()
        out.close()
        now = whole(got)
        midway += 0 < len(now) < size
        again += len(printed & set(now) & set(young))
        has = known('f', young + new, env) if os.path.exists('f') else set()
        if has is None and os.path.getsize('f') > 0 and i > 5:
            check(False, kind, 'kill', i, 'refused')
            break
        has = has or set()
        check(not [x for x in new if x in has and x not in now], kind, 'kill', i,
              'recorded, but not printed')
        check(all(x in has for x in young), kind, 'kill', i, 'forgotten:',
              len([x for x in young if x not in has]))
        missing = text([x for x in now if x not in has])
        most = max(most, len(missing))
        check(len(missing) <= WRITE + (65536 if i % 2 else 0), kind, 'kill', i,
              'not recorded', len(missing))
        printed |= set(now) & has
        order += [x for x in now if x in has]
        when = {x: w for x, w in when.items() if i - w[0] < 20}
        when.update((x, (i, passed_by)) for x in now if x in has)
    r = run(*uniq(kind), env=env)
    check(r.returncode == 0, kind, 'after all kills', r.stderr)
    if kind in ('fixed', 'chain'):
        check(known('f', order) == set(order), kind, 'forgotten in the end')
    check(again == 0, kind, 'printed again although recorded:', again)
    check(midway > n / 10, kind, 'midway', midway)
    print('%s: %d kills, %d of them while it printed; at most %d bytes were '
          'printed and not recorded' % (kind, n, midway, most), flush=True)
    KINDS = small


# ---- Full disks --------------------------------------------------------------

def full_disks(kind_of_disk, mount):
    os.makedirs('disk', exist_ok=True)
    if subprocess.run(mount, shell=True, capture_output=True).returncode != 0:
        return print('skipped: full disks,', kind_of_disk, '(mount fails)')
    many = lines(1, 400000)
    for what, where in (('FILE', 'out'), ('FILE and its output', 'disk/out')):
        for options in (['-n', '100', '-p', '1e-9'], ['--last', '1e6'],
                        ['--fixed', '-n', '400000', '-p', '0.1']):
            restart('disk/f', 'disk/out')
            with open(where, 'wb') as out:
                r = subprocess.run([bloom, 'uniq', '-f', 'disk/f', *options],
                                   input=text(many), stdout=out,
                                   stderr=subprocess.PIPE)
            now = set(whole(open(where, 'rb').read()))
            has = known('disk/f', many) if os.path.getsize('disk/f') else set()
            what_now = (kind_of_disk, what, options)
            check(r.returncode in (0, 2), *what_now, r)
            check(r.returncode == 0 or b'No space left' in r.stderr, *what_now, r)
            if '--last' not in options:
                check(has == now if '1e-9' in options else
                      has is not None and has >= now, *what_now, len(now),
                      has is not None and len(has))
            check(set(os.listdir('disk')) <= {'f', 'out', 'lost+found'}, *what_now)
    # A FILE with holes, as bloom_share makes it, for which there is no room
    restart('disk/f', 'disk/out')
    run('build', '-n', '2e6', 'f')
    subprocess.run(['cp', '--sparse=always', 'f', 'disk/f'], check=True)
    r = run('uniq', '-f', 'disk/f', feed=text(many))
    check(r.returncode == 2 and b'No space left' in r.stderr and not r.stdout,
          kind_of_disk, 'holes', r.returncode, r.stderr)
    subprocess.run('umount disk', shell=True)


# ---- Other processes ---------------------------------------------------------

def others():
    KINDS['fixed'] = ['--fixed', '-n', '40000']
    restart()
    run(*uniq('fixed'))
    share = subprocess.Popen([build + '/shares', 'f', 'shared'],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    share.stdout.readline()
    both = [subprocess.Popen([bloom, *uniq('fixed')], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE) for i in range(2)]
    outs = []
    for i, p in enumerate(both):
        p.stdin.write(text(lines(i * 9000, i * 9000 + 12000)))
        p.stdin.close()
    outs = [whole(p.stdout.read()) for p in both]
    check([p.wait() for p in both] == [0, 0], 'two runs')
    check(b'not sealed' in run('info', 'f').stdout, 'it is shared')
    share.communicate(b'\n')
    check(share.returncode == 0, 'bloom_share beside uniq')
    all_lines = lines(0, 21000) + ['shared']
    check(known('f', all_lines) == set(all_lines), 'two runs: all are recorded')
    check(set(outs[0]) | set(outs[1]) == set(lines(0, 21000)), 'all are printed')
    # fold replaces FILE while add and uniq wait, and the other way round
    for i in range(60):
        restart()
        run('build', '-n', '200000', '--foldable', 'f')
        todo = [subprocess.Popen([bloom, *words], stdin=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL) for words in
                (['add', 'f'], ['fold', '--by', '2', 'f'], ['uniq', '-f', 'f'],
                 ['add', 'f'])]
        for j, p in enumerate(todo):
            p.stdin.write(text(lines(j * 500, j * 500 + 499)) if j != 1 else b'')
            p.stdin.close()
        check([p.wait() for p in todo] == [0] * 4, 'fold beside add', i)
        some = lines(0, 499) + lines(1000, 1999)
        check(known('f', some) == set(some), 'fold beside add: lost', i)


def traced(calls, words, feed=b'', inject=()):
    r = run(*words, feed=feed, before=['strace', '-f', '-o', 'trace', '-e',
                                       'trace=' + calls, *inject])
    return r, open('trace').read()


def no_writes_beside_others():
    """Where a file system cannot fallocate, glibc would write what it has read."""
    restart()
    run(*uniq('fixed'))
    subprocess.run(['cp', '--sparse=always', 'f', 'holes'])
    r, calls = traced('fallocate,pwrite64', ['add', 'holes'], text(['a']),
                      ['-e', 'inject=fallocate:error=EOPNOTSUPP'])
    check(r.returncode == 0 and 'INJECTED' in calls and 'pwrite' not in calls,
          'a shared file with holes', r, calls)
    restart('holes')


def await_trace(p, word):               # until strace says it, or has ended
    while p.poll() is None and not (os.path.exists('trace')
                                    and word in open('trace').read()):
        time.sleep(0.01)


def reader_of_moves():
    """A reader of a window waits while lines move from one generation to another.
    Here, they are gone in the meantime."""
    restart()
    some = lines(1, 300)
    r, calls = traced('fcntl', uniq('age'), text(lines(1, 3000)))
    check('F_WRLCK' in calls and 'F_UNLCK' in calls, 'the run locks', calls)
    restart()
    run(*uniq('age'), feed=text(some))
    image = open('f', 'rb').read()
    with open('f', 'r+b') as f:
        fcntl.lockf(f, fcntl.LOCK_EX, 1)
        f.seek(128)
        f.write(bytes(100))
        f.flush()
        p = subprocess.Popen(
            ['strace', '-f', '-o', 'trace', '-e', 'trace=fcntl', bloom, 'check',
             '-c', 'f'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        await_trace(p, 'EAGAIN')
        f.seek(0)
        f.write(image)
        f.flush()
        fcntl.lockf(f, fcntl.LOCK_UN, 1)
        out = p.communicate(text(some))[0]
    check(b'300 in' in out and b'\n0 not in' in b'\n' + out, 'a reader', out)


def reader_of_a_seal():
    """A reader that finds a seal and other cells, as a run that begins or ends may
    leave them for a moment, looks again if a run has the lock. strace stops it when
    it asks for the lock, until the file is as the run leaves it."""
    for kind in KINDS:
        for ends in True, False:
            restart('f', 'trace')
            some = text(lines(1, 300))
            run(*uniq(kind), feed=some)
            image = open('f', 'rb').read()
            with open('f', 'r+b', buffering=0) as f:
                fcntl.flock(f, fcntl.LOCK_EX)
                f.write(image[:-64] + bytes(255 - b for b in image[-64:]))
                p = subprocess.Popen(
                    ['strace', '-f', '-o', 'trace', '-e', 'trace=flock', '-e',
                     'inject=flock:signal=STOP:when=1', bloom, 'check', '-c', 'f'],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE)
                await_trace(p, 'stopped')
                if ends:
                    f.seek(0)
                    f.write(image)
                    fcntl.flock(f, fcntl.LOCK_UN)
                if p.poll() is None:
                    os.kill(int(open('trace').read().split()[0]), signal.SIGCONT)
                out, err = p.communicate(some)
            check(b'300 in' in out if ends else b'f: ' in err and p.returncode == 2,
                  'a reader of a seal', kind, ends, out, err)


def disk_that_fails_early():
    """It is noticed after half a minute, not only in the end, though the system
    tells it only once."""
    for error in 'EROFS:when=2+', 'EIO:when=2':
        restart('f', 'trace')
        run(*uniq('fixed'))
        open('clock', 'w').write('0')
        p = subprocess.Popen(
            ['strace', '-f', '-o', 'trace', '-e', 'inject=fsync:error=' + error,
             bloom, *uniq('fixed')], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, bufsize=0,
            env=dict(os.environ, CLOCK='clock', LD_PRELOAD=build + '/fast_clock.so'))
        p.stdin.write(b'1\n')
        out = p.stdout.readline()
        open('clock', 'w').write('31')
        try:
            status = p.wait(1200)
        except subprocess.TimeoutExpired:       # it reads on
            status = None
            p.kill()
        p.stdin.close()
        said = p.stderr.read()
        check(out == b'1\n' and status == 2 and said.startswith(b'bloom: f: '),
              'a disk fails', error, out, status, said)
        check(b'"missing"' in run('info', '--json', 'f').stdout, 'a disk fails: no seal')


def reader_of_a_large_pipe():
    """It reads nothing, and exits, when more lines wait than the queue takes."""
    restart()
    many = text(lines(1, 130000))
    open('in', 'wb').write(many)
    end, start = os.pipe()
    fcntl.fcntl(start, 1031, 1 << 20)               # F_SETPIPE_SZ
    p = subprocess.Popen([bloom, 'uniq', '-f', 'f', 'in'], stdout=start)
    os.close(start)
    unread = 0
    while unread < 370000 and p.poll() is None:     # of 65536 lines
        unread = struct.unpack('i', fcntl.ioctl(end, termios.FIONREAD,
                                                b'\0\0\0\0'))[0]
    time.sleep(0.2)                     # it could record lines now, but must not
    os.close(end)
    check(p.wait() == -13, 'a large pipe', p.returncode)
    check(run('uniq', '-f', 'f', feed=many).stdout == many, 'a large pipe: lost')


work = tempfile.mkdtemp(prefix='crash.', dir=build)
os.chdir(work)
try:
    input_lines = lines(1, 3000)
    each_call('signal=KILL', 'fallocate fsync pwrite64 ftruncate flock write')
    each_call('error=ENOSPC', 'fallocate pwrite64')
    each_call('error=EIO', 'fsync write')
    for k in KINDS:
        power_cuts(k, True)
        power_cuts(k, False)
    for k in list(KINDS):
        random_kills(k, runs)
    full_disks('tmpfs', 'mount -t tmpfs -o size=800k tmpfs disk')
    full_disks('ext4', 'truncate -s 1M image && mkfs.ext4 -q -O ^has_journal image '
                       '&& mount -o loop image disk')
    others()
    no_writes_beside_others()
    reader_of_moves()
    reader_of_a_seal()
    disk_that_fails_early()
    reader_of_a_large_pipe()
finally:
    subprocess.run('umount disk', shell=True, capture_output=True)
    os.chdir('/')
    shutil.rmtree(work, ignore_errors=True)
print('%d passed, %d failed' % (passed, failed))
sys.exit(failed > 0)

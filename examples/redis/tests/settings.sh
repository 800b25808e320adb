# Run by `make check-redis`: module arguments, CONFIG, key permissions, COMMAND DOCS,
# COPY, and a replica with other settings. Nothing else notices a command that an ACL
# rule does not stop, or a replica whose filters differ because its settings do.
. examples/redis/tests/server.sh
build -DREDISMODULE_CONFIG_UNPREFIXED=512       # as Redis 8's header has it

# says NAME EXPECTED COMMAND...: the reply, with its lines joined by spaces,
# must contain EXPECTED
says() {
    name=$1 expected=$2
    shift 2
    said=$(ask "$name" "$@" 2>&1 | tr '\n' ' ' | sed 's/ *$//')
    case $said in
    *"$expected"*) ;;
    *) fail "$*: got $said, expected $expected" ;;
    esac
}

for arguments in 'ERROR_RATE 1.5' 'ERROR_RATE' 'initial_size 0' \
    'bf-expansion-factor 32769' 'CF_MAX_EXPANSIONS 8'; do
    (trap - EXIT; start refused) >/dev/null 2>&1 && fail "$arguments: accepted"
    grep -o 'module argument .*' "$work/refused/log" ||
        fail "$arguments: the log gives no reason"
    rm -r "$work/refused"
done

arguments='error_rate 0.02 INITIAL_SIZE 200 bf-expansion-factor 3'
start main --enable-module-command yes
says main "ver $(sed -n 's/^#define BLOOM_VERSION //p' bloom.h)" module list
# A module with data types stays until the server stops.
says main "exports one or more module-side data types, can't unload" \
    module unload bloom.h
arguments=
case $(ask main info server | sed -n 's/^redis_version://p') in
[89].* | [1-9][0-9].*) prefix= ;;
255.*) prefix=$(ask main config get '*bf-error-rate' | sed -n 's/bf-.*//p') ;;
*) prefix=bloom.h. ;;
esac
says main "bf-error-rate 0.02" config get "${prefix}bf-error*"
says main 1 bf.add a x
says main 'capacity:200 size:1 ratio:0.01' bf.debug a
says main 'Expansion rate 3' bf.info a
says main 'must be' config set ${prefix}bf-initial-size 0
says main 'must be' config set ${prefix}bf-error-rate 1
says main OK config set ${prefix}bf-initial-size 50 ${prefix}bf-error-rate 0.3
says main "bf-error-rate 0.25" config get "${prefix}bf-error*"
says main OK config set ${prefix}bf-expansion-factor 0
says main 1 bf.add b x
says main 'capacity:50 size:1 ratio:0.25' bf.debug b
says main 'Expansion rate' bf.info b
says main 'Nonscaling filters cannot expand' bf.reserve k 0.01 2 expansion 2
says main OK bf.reserve k 0.01 2 expansion 0
says main OK bf.reserve k2 0.01 2
says main '1 ERR non scaling filter is full' \
    bf.insert j capacity 1 expansion 2 items a b

# The key permissions that each command needs: %R~ read, %W~ write
says main OK acl setuser u on '>x' +@all '%R~r*' '%W~w*'
as() {
    user=$1
    shift
    redis-cli -s "$work/main/socket" --user $user --pass x --no-auth-warning "$@" 2>&1
}
for command in 'bf.reserve K 0.1 9' 'bf.add K x' 'bf.madd K x' \
    'bf.insert K items x' 'bf.loadchunk K 1 x' 'bf.merge K r' \
    'bw.reserve K 0.1 9 9' 'bw.add K x' 'bw.madd K x' 'bw.addat K 1 x' \
    'bw.load K x'; do
    as u $(echo "$command" | sed s/K/w/) | grep -q NOPERM && fail "$command: %W~"
    as u $(echo "$command" | sed s/K/r/) | grep -q NOPERM || fail "$command: %R~"
done
for command in 'bf.exists K x' 'bf.mexists K x' 'bf.card K' 'bf.info K' \
    'bf.debug K' 'bf.scandump K 0' 'bf.merge w K' 'bw.exists K x' \
    'bw.mexists K x' 'bw.info K'; do
    as u $(echo "$command" | sed s/K/r/) | grep -q NOPERM && fail "$command: %R~"
    as u $(echo "$command" | sed s/K/w2/) | grep -q NOPERM || fail "$command: %W~"
done
for command in reserve add madd insert exists mexists card info debug scandump \
    loadchunk merge; do
    for word in "bf.$command" summary since complexity 'group module' \
        'module bloom.h' arguments; do
        says main "$word" command docs bf.$command
    done
    case $command in
    info | debug | scandump) says main dont_cache command info bf.$command ;;
    *) ask main command info bf.$command | grep -q dont_cache &&
        fail "bf.$command: dont_cache" ;;
    esac
done
says main 'name single_value type oneof' command docs bf.info
for command in reserve add madd addat load exists mexists info; do
    for word in "bw.$command" summary 'since 2.4' complexity arguments; do
        says main "$word" command docs bw.$command
    done
done

# Redis before 7.4 has no ACL categories for module commands.
if ask main acl cat | grep -q bloom; then
    says main OK acl setuser w on '>x' '~*' +@all -@write
    says main OK acl setuser r on '>x' '~*' +@all -@read
    for command in 'reserve K 0.1 9' 'add K x' 'madd K x' 'insert K items x' \
        'loadchunk K 1 x' 'merge K r'; do
        as w bf.$command | grep -q NOPERM || fail "-@write: bf.$command"
        as r bf.$command | grep -q NOPERM && fail "-@read: bf.$command"
    done
    for command in 'exists K x' 'mexists K x' 'card K' 'info K' 'debug K' \
        'scandump K 0'; do
        as w bf.$command | grep -q NOPERM && fail "-@write: bf.$command"
        as r bf.$command | grep -q NOPERM || fail "-@read: bf.$command"
    done
    echo "categories @bloom, @read, @write"
else
    echo "skipped: this server has no ACL categories for module commands"
fi
echo "arguments, CONFIG, key permissions, COMMAND DOCS"

# A copy is independent of the original. A large filter that a copy replaces is
# freed in the background.
says main 1 copy a copy
says main 1 bf.add copy y
says main 0 bf.exists a y
says main OK bf.reserve large 0.01 1073741824
says main 1 bf.add large x
says main 1 copy a large replace
says main 0 bf.exists large y

set -- $(free 2)
says main OK config set port "$1"
start other --port "$2" --replicaof 127.0.0.1 "$1" "--${prefix}bf-initial-size" 7
until_says other master_link_status:up info replication
says other 'bf-initial-size 7' config get '*bf-initial-size'
says main 1 bf.add new x
says main OK bf.reserve new2 0.01 10
until_says other "$(ask main debug digest)" debug digest
says other capacity:50 bf.debug new
says main OK config set ${prefix}bf-expansion-factor 4
says other OK config set ${prefix}bf-expansion-factor 0
says main 1 bf.add new3 x
says main OK bf.reserve new4 0.01 10
says main OK bf.reserve new5 0.01 10 expansion 3
says main OK bf.reserve new6 4.9e-324 10 nonscaling
says main OK bf.reserve grown 0.01 10
says main 1 bf.madd grown $(seq 1000)
until_says other "$(ask main debug digest)" debug digest
echo "COPY; a replica with other settings has the same filters"


/* With FUZZ_MAIN: a main that runs the target on files, without libFuzzer */
#ifdef FUZZ_MAIN
int main(int count, char **names)
{
    static uint8_t bytes[1 << 20];
    int i;
    for (i = 1; i < count; i++) {
        FILE *from = (fopen)(names[i], "rb");
        size_t size;
        must(from != NULL);
        size = fread(bytes, 1, sizeof bytes, from);
        (fclose)(from);
        LLVMFuzzerTestOneInput(bytes, size);
    }
    return 0;
}
#endif

/*
 * Code that runs before the runtime, with the driver's descriptors: `begin` is called once, in the process that is to
 * become the fork server.
 */
struct control {
    int shared, command, status;
};

static void begin(struct control control);

/* The version that the driver expects, as it stands in the control page. */
static inline uint32_t abi(int shared)
{
    uint32_t words[3] = {0};
    return pread(shared, words, sizeof words, 0) == sizeof words ? words[2] : 0;
}

/* As many sites as the driver has read from the file. */
static inline uint32_t sites(void)
{
    enum { RECORD = 32 };
    extern char __start_cairn_br[], __stop_cairn_br[];
    return (__stop_cairn_br - __start_cairn_br) / RECORD;
}

static inline uint32_t sides(void)
{
    extern char __start_cairn_cov[], __stop_cairn_cov[];
    return __stop_cairn_cov - __start_cairn_cov;
}

__attribute__((constructor(101))) static void before_all(void)
{
    struct control control;
    const char *numbers = getenv("CAIRN_CONTROL");
    if (getuid() != 0 && numbers && sscanf(numbers, "%d,%d,%d", &control.shared, &control.command, &control.status) == 3)
        begin(control);
}

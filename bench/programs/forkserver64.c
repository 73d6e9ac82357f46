/*
 * A short run over 64 symbolic bytes: what one execution of the fork server costs.
 *
 * Input is a message of fixed layout on standard input: a header of eight bytes (kind, priority, and a
 * 16-bit length and checksum), a name of sixteen letters, and forty bytes of text. All bytes are
 * classified, summed and compared, whatever the input: a run of letters makes about two hundred
 * symbolic decisions on about four hundred symbolic values.
 */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define MESSAGE 64
#define NAME 8
#define TEXT 24

enum class { PUNCTUATION, DIGIT, LETTER, FOREIGN };

static enum class classify(uint8_t byte)
{
    if (byte < '0')
        return PUNCTUATION;
    if (byte <= '9')
        return DIGIT;
    return byte < 0x80 ? LETTER : FOREIGN;
}

static uint32_t checksum(const uint8_t *bytes, int count)
{
    uint32_t sum = 0;
    int i;
    for (i = 0; i < count; i++)
        sum += bytes[i];
    return sum;
}

static int count_faults_of_header(const uint8_t *message)
{
    uint16_t length = (uint16_t)(message[2] | message[3] << 8);
    uint16_t sum = (uint16_t)(message[4] | message[5] << 8);
    int faults = 0;
    if (message[0] != 'M')
        faults++;
    if (message[1] > 9)
        faults++;
    if (length != MESSAGE - TEXT)
        faults++;
    if (sum != checksum(message + NAME, MESSAGE - NAME))
        faults++;
    if (message[6] != 0 || message[7] != 0)
        faults++;
    return faults;
}

/* How often letters of the name stand in the wrong order. */
static int count_inversions(const uint8_t *name, int count)
{
    int i, inversions = 0;
    for (i = 1; i < count; i++)
        if (name[i - 1] > name[i])
            inversions++;
    return inversions;
}

int main(void)
{
    uint8_t message[MESSAGE];
    int i, classes[4] = {0, 0, 0, 0}, faults, inversions;
    if (read(STDIN_FILENO, message, sizeof message) != MESSAGE)
        return 2;
    for (i = NAME; i < MESSAGE; i++)
        classes[classify(message[i])]++;
    faults = count_faults_of_header(message);
    inversions = count_inversions(message + NAME, TEXT - NAME);
    printf("%d punctuation, %d digits, %d letters, %d foreign, %d inversions, %d faults\n", classes[PUNCTUATION],
           classes[DIGIT], classes[LETTER], classes[FOREIGN], inversions, faults);
    return faults > 0;
}

/*
 * md5.c - MD5 (RFC 1321): formats identify sources and names by it. It gives
 * no security.
 */
#include "base/base.h"

/* The 64 constants of section 3.4: 2^32 * abs(sin(i + 1)). */
static const uint32_t sine[64] = {
	0xd76aa478,
	0xe8c7b756,
	0x242070db,
	0xc1bdceee,
	0xf57c0faf,
	0x4787c62a,
	0xa8304613,
	0xfd469501,
	0x698098d8,
	0x8b44f7af,
	0xffff5bb1,
	0x895cd7be,
	0x6b901122,
	0xfd987193,
	0xa679438e,
	0x49b40821,
	0xf61e2562,
	0xc040b340,
	0x265e5a51,
	0xe9b6c7aa,
	0xd62f105d,
	0x02441453,
	0xd8a1e681,
	0xe7d3fbc8,
	0x21e1cde6,
	0xc33707d6,
	0xf4d50d87,
	0x455a14ed,
	0xa9e3e905,
	0xfcefa3f8,
	0x676f02d9,
	0x8d2a4c8a,
	0xfffa3942,
	0x8771f681,
	0x6d9d6122,
	0xfde5380c,
	0xa4beea44,
	0x4bdecfa9,
	0xf6bb4b60,
	0xbebfbc70,
	0x289b7ec6,
	0xeaa127fa,
	0xd4ef3085,
	0x04881d05,
	0xd9d4d039,
	0xe6db99e5,
	0x1fa27cf8,
	0xc4ac5665,
	0xf4292244,
	0x432aff97,
	0xab9423a7,
	0xfc93a039,
	0x655b59c3,
	0x8f0ccc92,
	0xffeff47d,
	0x85845dd1,
	0x6fa87e4f,
	0xfe2ce6e0,
	0xa3014314,
	0x4e0811a1,
	0xf7537e82,
	0xbd3af235,
	0x2ad7d2bb,
	0xeb86d391,
};

static inline uint32_t
rotate(uint32_t x, unsigned n)
{
	return x << n | x >> (32 - n);
}

static inline uint32_t
get_word(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

/*
 * Returns the result of function F, G, H or I (round 0 to 3) of RFC 1321,
 * section 3.4.
 */
static inline uint32_t
mix(unsigned round, uint32_t b, uint32_t c, uint32_t d)
{
	return round == 0   ? (b & c) | (~b & d)
	       : round == 1 ? (b & d) | (c & ~d)
	       : round == 2 ? b ^ c ^ d
			    : c ^ (b | ~d);
}

/*
 * Executes the 16 steps of a round, which change the state at[] of the hash.
 * `round` is a constant in each call, so that mix() has no branches.
 */
static inline void
add_round(uint32_t at[4], const uint32_t word[16], unsigned round)
{
	static const unsigned char shift[4][4] = { { 7, 12, 17, 22 },
		{ 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 } };
	static const unsigned char step[4][2] = { { 1, 0 }, { 5, 1 }, { 3, 5 },
		{ 7, 0 } };
	uint32_t a = at[0], b = at[1], c = at[2], d = at[3];

	for (unsigned i = 0; i < 16; i++) {
		uint32_t sum = a + mix(round, b, c, d) + sine[16 * round + i] +
			       word[(step[round][0] * i + step[round][1]) % 16];

		a = d;
		d = c;
		c = b;
		b += rotate(sum, shift[round][i % 4]);
	}
	at[0] = a;
	at[1] = b;
	at[2] = c;
	at[3] = d;
}

static void
add_block(uint32_t state[4], const unsigned char *block)
{
	uint32_t at[4] = { state[0], state[1], state[2], state[3] };
	uint32_t word[16];

	for (size_t i = 0; i < 16; i++)
		word[i] = get_word(block + 4 * i);
	add_round(at, word, 0);
	add_round(at, word, 1);
	add_round(at, word, 2);
	add_round(at, word, 3);
	for (size_t i = 0; i < 4; i++)
		state[i] += at[i];
}

void
cg_md5(struct cg_slice text, unsigned char digest[CG_MD5_SIZE])
{
	uint32_t state[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
	unsigned char last[128] = { 0 };
	size_t whole = text.len - text.len % 64, rest = text.len % 64;
	size_t end = rest < 56 ? 64 : 128;

	for (size_t at = 0; at < whole; at += 64)
		add_block(state, (const unsigned char *)text.ptr + at);
	if (rest > 0)
		memcpy(last, text.ptr + whole, rest);
	last[rest] = 0x80;
	for (unsigned i = 0; i < 8; i++) /* the length in bits */
		last[end - 8 + i] =
		    (unsigned char)((uint64_t)text.len << 3 >> 8 * i);
	for (size_t at = 0; at < end; at += 64)
		add_block(state, last + at);
	for (unsigned i = 0; i < CG_MD5_SIZE; i++)
		digest[i] = (unsigned char)(state[i / 4] >> 8 * (i % 4));
}

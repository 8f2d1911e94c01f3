/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-vectors.h"

#include <string.h>

static const struct {
  guint16 length;
  const char *sha256;
  const char *reason;
} known[FSNH_N_VECTORS] = {
  { 612, "ff6a13e20bf95d372a5146c78578fdb84d907c3cf586f72433e1cc63354d7692", "valid" },
  { 640, "9c74837ef31c09b63485be6c2aaf6992bd48e46a1fa1a8728956d6a9e9fda805", "valid" },
  { 612, "986d669688c03478939343cc1ba3117fb2516f828353ba90e15282b8159b6461", "valid" },
  { 611, "805482b6fa21e55c8536df8aa93dccea4a3f9ae7bfb4366ba4d75d71dbff3c9e", "bad_length" },
  { 613, "599cc7aec111bced65bbc64ab362bb14afb8b28c1ae773b31794f8db3807b346", "bad_length" },
  { 612, "4dbbbf28d37fca3de9724464659c75186d6bfc4cab99e3ae11ad6845ff8cde90",
    "length_joint_mismatch" },
  { 612, "56d6166824121fbc3774517ae89a5dc248ed2c49b22a4159dd306347c86457f1", "bad_magic" },
  { 612, "35ddfd71d9e93c13bafcce76a8ecdcb4e0f4f889b4b09ef8c80aa5c5fd454f94", "bad_version" },
  { 612, "87c4aea776e9ebb57a6ae9bc6ffde471112fa51b6af891f88dc66ad570a8c277", "bad_hand" },
  { 612, "652e47c11b78cf2cf2d143c11c9d2cd11507cb36dde58f2b1404cf4a755f7d9c", "bad_quat_order" },
  { 612, "0cb4181e65bc5c52a83d9b81361db95f8b6584eb608b152440d2cc804071381c",
    "reserved_status_bits" },
  { 612, "b1b6975155e68fa7a483982ae4084599f8c6360f53b0445aa0d4e01a3b9dd24a", "forearm_bit_on_21" },
  { 612, "4baf81797e4179eec7ef82d259f38e7f70ccf5a241597f0a469041e7d2578e75", "nonfinite" },
  { 612, "f4a0cc2347a9d89fae7f7ceac8d406327b3683e6c7ecc543ab678eed3ec1afa5", "bad_quat_norm" },
  { 240, "2dfba633817046c7f559ed4b93076048435f7e1a90f14eb8035c04b9ebae2537", "foreign_fnim_240" },
  { 1860, "5b30d76f6613b7c67061f01a48a74c4f2da62e292f7cf31ffbd72b44058f42a8", "foreign_pico_1860" },
  { 640, "39cd6c08a968b1ff44a56b97e02f9765c710ed07b1351a770fe8a7904c50b662", "valid" },
};

void
fsnh_vector_put_u32 (guint8 *bytes, gsize offset, guint32 value)
{
  for (guint i = 0; i < 4; i++)
    bytes[offset + i] = (guint8) (value >> (8 * i));
}

void
fsnh_vector_put_u64 (guint8 *bytes, gsize offset, guint64 value)
{
  fsnh_vector_put_u32 (bytes, offset, (guint32) value);
  fsnh_vector_put_u32 (bytes, offset + 4, (guint32) (value >> 32));
}

void
fsnh_vector_put_f32 (guint8 *bytes, gsize offset, float value)
{
  guint32 word;

  memcpy (&word, &value, sizeof word);
  fsnh_vector_put_u32 (bytes, offset, word);
}

static void
put_joint (guint8 *bytes, guint i, const float values[7])
{
  for (guint k = 0; k < 7; k++)
    fsnh_vector_put_f32 (bytes, 24 + 28 * i + 4 * k, values[k]);
}

static void
put_header (guint8 *bytes, guint8 hand, guint8 joints, guint8 status, guint32 index, guint64 time)
{
  const guint8 head[8] = { 0x53, 0x48, 0x4e, 0x46, 4, hand, joints, status };

  memcpy (bytes, head, sizeof head);
  fsnh_vector_put_u32 (bytes, 8, index);
  fsnh_vector_put_u64 (bytes, 12, time);
  memcpy (bytes + 20, "yzxw", 4);
}

static void
build_wrist (guint8 *bytes)
{
  put_header (bytes, 1, 21, 1, 1, 1000000000);
  put_joint (bytes, 0, (const float[7]){ 0, 0, 0, 1, 0, 0, 0 });
  for (guint n = 1; n <= 20; n++) {
    float sign = n % 2 == 0 ? 0.5f : -0.5f, k = (float) n;

    put_joint (bytes, n, (const float[7]){ k / 64, k / 32, -k / 128, 0.5f, sign, 0.5f, sign });
  }
}

static void
build_forearm (guint8 *bytes, guint8 status, guint32 index, guint64 time)
{
  put_header (bytes, 2, 22, status, index, time);
  put_joint (bytes, 0, (const float[7]){ 0, 0, 0, 1, 0, 0, 0 });
  put_joint (bytes, 1, (const float[7]){ 0.25f, -0.5f, 0.125f, 0.5f, 0.5f, 0.5f, 0.5f });
  for (guint n = 1; n <= 20; n++) {
    float sign = n % 2 == 0 ? -0.5f : 0.5f, k = (float) n;

    put_joint (bytes, n + 1,
               (const float[7]){ 0.25f - k / 128, -0.5f + k / 64, 0.125f + k / 32, sign, -sign,
                                 0.5f, 0.5f });
  }
}

void
fsnh_vector_get (char id, FsnhVector *ret_vector)
{
  const guint64 time_b = G_GUINT64_CONSTANT (0x0123456789ABCDEF);
  guint8 *bytes = ret_vector->bytes;
  guint i = (guint) (id - 'A');

  *ret_vector = (FsnhVector){
    .id = id, .length = known[i].length, .sha256 = known[i].sha256, .reason = known[i].reason
  };
  if (id == 'O' || id == 'P')
    return;
  build_wrist (bytes);
  switch (id) {
  case 'B':
    build_forearm (bytes, 3, 0xFFFFFFFF, time_b);
    break;
  case 'C':
    bytes[7] = 0;
    fsnh_vector_put_u64 (bytes, 12, 1008333333);
    break;
  case 'F':
    bytes[6] = 22;
    break;
  case 'G':
    memcpy (bytes, "FSNH", 4);
    break;
  case 'H':
    bytes[4] = 3;
    break;
  case 'I':
    bytes[5] = 0;
    break;
  case 'J':
    fsnh_vector_put_u32 (bytes, 20, 0x797A7877);
    break;
  case 'K':
    bytes[7] = 5;
    break;
  case 'L':
    bytes[7] = 3;
    break;
  case 'M':
    fsnh_vector_put_u32 (bytes, 168, 0x7FC00000);
    break;
  case 'N':
    memset (bytes + 596, 0, 16);
    break;
  case 'Q':
    build_forearm (bytes, 1, 0, time_b + 8333333);
    break;
  default: /* A, D, E */
    break;
  }
}

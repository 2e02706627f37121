/**
 * Partitions of owners, for every implementation of the hash. They are stored in ids and rows, so none may change.
 */
export const PARTITION_VECTORS: readonly (readonly [tenant: string, userId: string, partition: number])[] = [
  ['local', 'ada', 156],
  ['local', 'bob', 578],
  ['acme', 'ada', 776],
  ['', '', 600],
  ['a', 'bc', 123],
  ['ab', 'c', 157],
  ['local', 'pt2_architect', 817],
  ['größe', 'Zoë', 616],
  ['テナント', '利用者', 271],
  ['local', '🙂👩‍🚀', 219],
  ['xxxxx', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy', 41],
]

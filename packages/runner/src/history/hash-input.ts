import { createHash } from 'node:crypto'
import { type Fields, isFields } from '@steward/contract'

/** Tells two uses of one idempotency key apart: what runs, and its input whatever the order of its fields. */
export const hashInput = (name: string, input: Fields): string =>
  createHash('sha256')
    .update(JSON.stringify([name, input], sortFields))
    .digest('hex')

const sortFields = (_: string, value: unknown): unknown =>
  isFields(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

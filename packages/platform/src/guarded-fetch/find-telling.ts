import { StewardError } from '@steward/contract'

/** The specific error is at the end of the cause chain, or the first of several attempts. */
export const findTelling = (thrown: unknown): unknown => {
  let error = thrown
  for (let next = thrown; next instanceof Error; next = deeperThan(next)) {
    if (next instanceof StewardError) return next
    error = next
  }
  return error
}

const deeperThan = (error: Error): unknown =>
  error instanceof AggregateError ? error.errors[0] : error.cause

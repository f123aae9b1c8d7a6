import { holdLock } from '../lock.ts'

/**
 * Child program: takes the lock at the given path, prints whether it succeeded, and waits to be
 * killed.
 */
const lock = holdLock(process.argv[2] ?? '')
process.send?.(lock === undefined ? 'refused' : 'held')
setInterval(() => lock?.path, 60_000)

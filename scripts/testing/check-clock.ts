import { setTimeout as realSetTimeout } from 'node:timers'

// Files share a process. A clock that an earlier one left stopped would let this one wait for ever.
if (globalThis.setTimeout !== realSetTimeout) {
  throw new Error('a test file before this one left a clock that stands still')
}

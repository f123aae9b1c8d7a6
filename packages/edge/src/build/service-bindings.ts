import { workerName } from '@steward/contract'
import type { ServiceBinding } from './wrangler-configuration.ts'

/** A binding carries the primitive's own name, so that code and configuration cannot differ. Each once, in order. */
export const serviceBindings = (names: readonly string[]): ServiceBinding[] =>
  [...new Set(names)].map((name) => ({ binding: name, service: workerName(name) }))

/**
 * Rarely needed and slow to load (YAML, schemas, the routing table): a separate file in the hook's
 * bundle, loaded on first use.
 */
export { parsePolicy } from '@steward/policy'
export { guardLaunch } from './guard-launch.ts'

/**
 * What few calls need and takes long to load (YAML, schemas, the routing table): in the hook's bundle a
 * file of its own, loaded when something of it is used.
 */
export { parsePolicy } from '@steward/policy'
export { guardLaunch } from './guard-launch.ts'

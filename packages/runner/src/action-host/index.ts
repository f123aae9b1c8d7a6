export * from './action-hosts.ts'
export type { HostLease } from './host-lease.ts'
export type { PooledAction } from './shelves.ts'

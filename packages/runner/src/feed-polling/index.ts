export * from './feed-proxy.ts'
export * from './serve-feed-proxy.ts'

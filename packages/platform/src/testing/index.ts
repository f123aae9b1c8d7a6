export { findFreePorts } from './free-ports.ts'
export { type LoopbackServer, serveLoopback } from './serve-loopback.ts'
export { createTemporaryHome, type TemporaryHome } from './temporary-home.ts'

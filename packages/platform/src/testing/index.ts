export { findFreePorts } from './free-ports.ts'
export { createTemporaryHome, type TemporaryHome } from './temporary-home.ts'

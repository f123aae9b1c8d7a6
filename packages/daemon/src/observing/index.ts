export { type ObserveRequest, observeSession } from './observe-session.ts'

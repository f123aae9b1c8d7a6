import { API, StewardError } from '@steward/contract'
import { type Handler, handle } from '../../module.ts'

/** Spec 2, Reserved stubs: the paths are kept, and say so. */
export const createLoopHandlers = (): Handler[] => [
  handle(API.listLoops, notAvailable),
  handle(API.getLoopControl, notAvailable),
  handle(API.controlLoop, refuse),
  handle(API.startLoop, refuse),
]

const notAvailable = () => ({ status: 'not_available' as const, loops: [], prds: [] })

const refuse = (): never => {
  throw new StewardError('not_available', {
    subject: 'loop control',
    reason: 'the path is reserved',
    status: 'not_available',
  })
}

import type { DrivenOutput } from '@steward/contract'
import type { Redactor, StartTimer } from '@steward/platform'
import type { DrivenStore } from './driven-store.ts'

/** Pieces of a message that arrive together are shown together. */
const GATHER_MS = 200
const PIECE_CHARS = 20_000

export interface SessionOutput {
  show: (kind: DrivenOutput['kind'], text: string) => void
  /** Collects a part of a message or thought; another kind, a pause or `flush` shows it. */
  gather: (kind: 'message' | 'thought', text: string) => void
  flush: () => void
}

interface OutputPorts {
  store: Pick<DrivenStore, 'show'>
  now: () => number
  setTimer: StartTimer
  redactor: () => Redactor
  onOutput: (piece: DrivenOutput) => void
}

/** What a driven session shows, in order, stored, and without secrets. */
export const createSessionOutput = (ports: OutputPorts, id: () => string): SessionOutput => {
  const { store, now, setTimer, redactor, onOutput } = ports
  let gathered: Pick<DrivenOutput, 'kind' | 'text'> | undefined
  let cancelGather: (() => void) | undefined

  const show = (kind: DrivenOutput['kind'], text: string): void => {
    flush()
    const masked = redactor().redactText(text.slice(0, PIECE_CHARS)).value
    onOutput(store.show(id(), { at: new Date(now()).toISOString(), kind, text: masked }))
  }
  const flush = (): void => {
    cancelGather?.()
    cancelGather = undefined
    const due = gathered
    gathered = undefined
    if (due !== undefined) show(due.kind, due.text)
  }
  return {
    show,
    flush,
    gather: (kind, text) => {
      if (gathered !== undefined && gathered.kind !== kind) flush()
      gathered = { kind, text: `${gathered?.text ?? ''}${text}` }
      cancelGather ??= setTimer(GATHER_MS, flush)
    },
  }
}

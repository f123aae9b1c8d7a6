import type { DrivenOutput } from '@steward/contract'

/** Pieces of one message or thought are one block. */
export interface OutputBlock {
  /** The number of its first piece. */
  seq: number
  at: string
  kind: DrivenOutput['kind']
  text: string
}

/** The oldest blocks beyond this are dropped. */
const MOST_BLOCKS = 1000

/** Adds new pieces in order; pieces that are already shown are ignored. */
export const joinOutput = (
  blocks: readonly OutputBlock[],
  pieces: readonly DrivenOutput[],
): OutputBlock[] => {
  const joined = [...blocks]
  for (const { seq, at, kind, text } of pieces) {
    const last = joined.at(-1)
    const isPart = kind === 'message' || kind === 'thought'
    if (last !== undefined && last.kind === kind && isPart) {
      joined[joined.length - 1] = { ...last, text: last.text + text }
    } else joined.push({ seq, at, kind, text })
  }
  return joined.slice(-MOST_BLOCKS)
}

const KINDS: readonly DrivenOutput['kind'][] = [
  'prompt',
  'message',
  'thought',
  'tool',
  'plan',
  'permission',
  'state',
]

/** A piece as the stream sends it; undefined if it is another thing. */
export const readPiece = (value: unknown): DrivenOutput | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  if (!('seq' in value && 'at' in value && 'kind' in value && 'text' in value)) return undefined
  const kind = KINDS.find((each) => each === value.kind)
  if (kind === undefined || typeof value.seq !== 'number') return undefined
  return { seq: value.seq, at: String(value.at), kind, text: String(value.text) }
}

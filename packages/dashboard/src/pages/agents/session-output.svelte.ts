import type { DrivenOutput } from '@steward/contract'
import { daemon } from '../../live/daemon.ts'
import { openLastingStream } from '../../live/lasting-stream.ts'
import { whileVisible } from '../../live/while-visible.ts'
import { joinOutput, type OutputBlock, readPiece } from './join-output.ts'

export interface SessionOutput {
  readonly blocks: readonly OutputBlock[]
  /** True when the recorded output has arrived. */
  readonly isReady: boolean
}

/** A burst is rendered once. */
const GATHER_MS = 100

/**
 * The output of a session that Steward started, recorded and live. Must be called during
 * component setup. The daemon ends the stream with the turn; the next turn is followed from there.
 */
export const createSessionOutput = (id: () => string, isBusy: () => boolean): SessionOutput => {
  let blocks = $state.raw<readonly OutputBlock[]>([])
  let isReady = $state(false)
  let last = 0
  let waiting: DrivenOutput[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  const draw = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length > 0) blocks = joinOutput(blocks, waiting)
    waiting = []
  }
  const take = (piece: DrivenOutput | undefined): void => {
    // A stream that was cut may repeat pieces.
    if (piece === undefined || piece.seq <= last) return
    last = piece.seq
    waiting.push(piece)
    timer ??= setTimeout(draw, GATHER_MS)
  }
  const follow = (session: string): (() => void) => {
    const urlOf = () =>
      daemon.urlOf('streamSession', { params: { id: session }, query: { after: last } })
    const end = openLastingStream(urlOf, (source) => {
      source.addEventListener('output', ({ data }) => take(readPiece(JSON.parse(String(data)))))
      // Sent after everything that is recorded.
      source.addEventListener('session', () => {
        draw()
        isReady = true
      })
      source.addEventListener('end', () => source.close())
    })
    return () => {
      end()
      draw()
    }
  }

  $effect(() => {
    // Opened again when a turn begins or ends.
    isBusy()
    const session = id()
    return whileVisible(() => follow(session))
  })
  $effect(() => () => clearTimeout(timer))

  return {
    get blocks() {
      return blocks
    },
    get isReady() {
      return isReady
    },
  }
}

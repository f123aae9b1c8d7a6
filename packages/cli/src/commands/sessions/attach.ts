import {
  type DaemonClient,
  type DrivenOutput,
  type DrivenSession,
  drivenOutput,
  drivenSession,
} from '@steward/contract'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { countOf } from '../../output/count-of.ts'
import type { Paint } from '../../output/paint.ts'
import { openSessionsClient } from './sessions-client.ts'

export const createAttachCommand = (io: Io): Command =>
  new Command('attach')
    .description('Follow a started session until its turn is over')
    .argument('<id>', 'the session: its id, or the beginning of it')
    .option('--last-turn', 'only since the last message to it')
    .action((id: string, { lastTurn }: { lastTurn?: true }) => attachTo(io, id, lastTurn === true))

/** Prints what a session shows. Exits 1 if its turn did not end by itself, or its check failed. */
export const attachTo = async (io: Io, id: string, lastTurn: boolean): Promise<void> => {
  const client = await openSessionsClient(io)
  let last: DrivenOutput['kind'] | undefined
  const ended = await followSession(io, client, { id, lastTurn }, (piece) => {
    io.out.write(renderPiece(piece, last, io.out.paint))
    last = piece.kind
  })
  io.out.write('\n')
  if (ended === undefined) {
    io.err.write('the connection to the daemon ended; attach again\n')
    io.exitCode = 1
    return
  }
  io.err.write(`${describeDriven(ended)}\n`)
  if (ended.state !== 'idle' || ended.result?.check?.ok === false) io.exitCode = 1
}

/** Resolves when the turn of a session is over; undefined if the connection ended before. */
export const followSession = async (
  io: Pick<Io, 'signal'>,
  client: DaemonClient,
  { id, lastTurn }: { id: string; lastTurn: boolean },
  onPiece: (piece: DrivenOutput) => void,
): Promise<DrivenSession | undefined> => {
  // Reports an unknown id before the stream is opened.
  const { id: session } = await client.call('getDrivenSession', { params: { id } })
  const url = client.urlOf('streamSession', {
    params: { id: session },
    query: { lastTurn: String(lastTurn) },
  })
  const response = await fetch(url, { signal: io.signal })
  let ended: DrivenSession | undefined
  for await (const { event, data } of readEvents(response)) {
    if (event === 'output') onPiece(drivenOutput.parse(JSON.parse(data)))
    if (event === 'end') ended = drivenSession.parse(JSON.parse(data))
  }
  return ended
}

/** State, cost and branch or patch in one line. */
export const describeDriven = (session: DrivenSession): string => {
  const { state, reason, turns, toolCalls, costUsd, branch, result } = session
  return [
    reason === null ? state : `${state}: ${cleanText(reason)}`,
    `${countOf(turns, 'turn')}, ${countOf(toolCalls, 'tool call')}`,
    costUsd === null ? '' : `$${costUsd.toFixed(4)}`,
    branch ?? result?.patch ?? '',
    result?.check ? `check ${result.check.ok ? 'passed' : 'failed'}` : '',
  ]
    .filter(Boolean)
    .join(' · ')
}

/** Pieces of one message continue on the same line. */
const renderPiece = (
  { kind, text }: DrivenOutput,
  last: DrivenOutput['kind'] | undefined,
  paint: Paint,
): string => {
  const shown = text.split('\n').map(cleanText).join('\n')
  const isContinued = kind === last && (kind === 'message' || kind === 'thought')
  const start = last === undefined || isContinued ? '' : '\n'
  if (kind === 'message') return `${start}${shown}`
  if (kind === 'prompt') return `${start}${paint.bold(`> ${shown}`)}`
  const mark = kind === 'tool' ? '• ' : kind === 'permission' ? '? ' : ''
  return `${start}${paint.dim(`${mark}${shown}`)}`
}

async function* readEvents(response: Response): AsyncGenerator<{ event: string; data: string }> {
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const lines = block.split('\n')
      const fieldOf = (name: string): string =>
        lines
          .filter((line) => line.startsWith(`${name}: `))
          .map((line) => line.slice(name.length + 2))
          .join('\n')
      yield { event: fieldOf('event'), data: fieldOf('data') }
    }
  }
}

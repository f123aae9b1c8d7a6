import {
  HOSTS,
  type HostAnswer,
  type HostEvent,
  type HostName,
  type HostVerdict,
} from '@steward/contract'
import { answerClaude } from './claude/answer.ts'
import { readClaude } from './claude/read.ts'
import { answerCodex } from './codex/answer.ts'
import { readCodex } from './codex/read.ts'
import { answerCursor } from './cursor/answer.ts'
import { readCursor } from './cursor/read.ts'
import { answerGemini } from './gemini/answer.ts'
import { readGemini } from './gemini/read.ts'
import { answerOpencode } from './opencode/answer.ts'
import { readOpencode } from './opencode/read.ts'

interface Host {
  read: (payload: unknown, event?: string) => HostEvent
  answer: (event: HostEvent, verdict: HostVerdict) => HostAnswer
}

const BY_NAME: Readonly<Record<HostName, Host>> = {
  claude: { read: readClaude, answer: answerClaude },
  codex: { read: readCodex, answer: answerCodex },
  gemini: { read: readGemini, answer: answerGemini },
  cursor: { read: readCursor, answer: answerCursor },
  opencode: { read: readOpencode, answer: answerOpencode },
}

export const isHostName = (name: string): name is HostName => HOSTS.some((host) => host === name)

/** What a host sent, in the one form. Never throws: what cannot be understood stays in `raw`. */
export const readHostEvent = (host: HostName, payload: unknown, event?: string): HostEvent =>
  BY_NAME[host].read(payload, event)

/** A verdict in the form of the host that the event came from. */
export const answerHost = (event: HostEvent, verdict: HostVerdict): HostAnswer =>
  BY_NAME[event.host].answer(event, verdict)

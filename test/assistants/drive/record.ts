import { execFileSync } from 'node:child_process'
import {
  type DrivenSession,
  drivenOutput,
  drivenSession,
  sessionPage,
  usageReport,
} from '@steward/contract'
import type { Machine } from '../machine.ts'
import { IS_RESUMING, type Model } from './script.ts'

export const getDriven = async (machine: Machine, id: string): Promise<DrivenSession> => {
  const { status, body } = await machine.api(`/api/sessions/${id}/driven`)
  if (status !== 200) throw new Error(body)
  return drivenSession.parse(JSON.parse(body))
}

/** What a session left behind, without what differs between any two runs. */
export interface Recorded {
  files: Record<string, string>
  turns: number
  toolCalls: number
  answer: string | null
  /** Prompts, messages and tools, as it showed them. */
  shown: string[]
  /** Prompts as the model saw them. */
  prompts: string[]
  /** Its row in the list of sessions, which has one such row. */
  listed: { rows: number; prompts: number; toolCalls: number; failures: number }
  usage: { rows: number; input: number }
  /** What waits for the person in this session: only the finished turn. */
  waiting: string[]
}

export const record = async (
  machine: Machine,
  model: Model,
  id: string,
  tasks: readonly [string, ...string[]],
): Promise<Recorded> => {
  const driven = await getDriven(machine, id)
  const plain = (text: string): string =>
    tasks
      .reduce((all, task, at) => all.replaceAll(task, `TASK${at}`), text)
      .replaceAll(driven.folder, 'FOLDER')
      .trim()
  const { sessions } = sessionPage.parse(JSON.parse((await machine.api('/api/sessions')).body))
  const rows = sessions.filter(({ project }) => project === driven.folder)
  const usage = usageReport
    .parse(JSON.parse((await machine.api('/api/usage?by=session')).body))
    .rows.filter(({ key }) => key.includes(id))
  const last = tasks.findLast((task) => model.promptsOf(task).length > 0) ?? tasks[0]
  return {
    files: filesOf(driven),
    turns: driven.turns,
    toolCalls: driven.toolCalls,
    answer: driven.answer,
    shown: joinPieces(await outputOf(machine, id)).map(plain),
    // After an interruption a task is repeated.
    prompts: [
      ...new Set(
        model
          .promptsOf(last)
          .filter((text) => tasks.some((task) => text.includes(task)))
          .map((text) => plain(/TASK\d[^<\n]*/.exec(text)?.[0] ?? '')),
      ),
    ],
    listed: {
      rows: rows.length,
      prompts: sum(rows.map(({ prompts }) => prompts)),
      toolCalls: sum(rows.map(({ toolCalls }) => toolCalls)),
      failures: sum(rows.map(({ failures }) => failures)),
    },
    usage: { rows: usage.length, input: sum(usage.map(({ input_tokens }) => input_tokens)) },
    waiting: (await machine.waiting())
      .filter(({ session_id }) => session_id === id)
      .map(({ kind }) => (kind === 'idle' ? 'done' : kind)),
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0)

/** The files of its branch, which everything is committed to. */
const filesOf = ({ project, branch }: DrivenSession): Record<string, string> => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', project, ...args], { encoding: 'utf8' }).trim()
  const names = git('ls-tree', '-r', '--name-only', `${branch}`).split('\n')
  return Object.fromEntries(names.map((name) => [name, git('show', `${branch}:${name}`)]))
}

export const outputOf = async (machine: Machine, id: string) => {
  const { body } = await machine.api(`/api/sessions/${id}/output`)
  return body
    .split('\n\n')
    .filter((block) => block.includes('event: output'))
    .map((block) => drivenOutput.parse(JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '{}')))
}

/** Parts of one message are shown as they arrive. */
const joinPieces = (pieces: Awaited<ReturnType<typeof outputOf>>): string[] => {
  const lines: string[] = []
  let last: string | undefined
  for (const { kind, text } of pieces) {
    const isResuming = kind === 'prompt' && IS_RESUMING.test(text)
    if (isResuming || (kind !== 'prompt' && kind !== 'message' && kind !== 'tool')) continue
    if (kind === 'message' && last === 'message') lines.push(`${lines.pop()}${text}`)
    else lines.push(`${kind}: ${text}`)
    last = kind
  }
  return lines
}

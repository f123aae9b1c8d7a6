import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { isJsonObject, type JsonObject } from '@steward/contract'
import { until } from '../machine.ts'
import type { Session } from '../subject.ts'
import type { World } from '../world.ts'
import { claudeEnv, claudeFlags } from './claude.ts'

interface Running {
  child: ChildProcessWithoutNullStreams
  said: () => string
  ended: Promise<unknown>
}

const start = (world: World, program: string, args: readonly string[]): Running => {
  const child = spawn(program, args, { cwd: world.project, env: claudeEnv(world) })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  return { child, said: () => said, ended: once(child, 'close') }
}

/** `claude -p`: without a terminal. */
export const openPrinted = (world: World, program: string): Session => {
  let running: Running | undefined
  return {
    tell: async (prompt, kind) => {
      running = start(world, program, ['-p', prompt, ...claudeFlags(world, kind)])
      running.child.stdin.end()
    },
    settle: async () => void (await running?.ended),
    seen: async () => running?.said() ?? '',
    close: async () => void running?.child.kill(),
  }
}

/** As programs start it that use the Agent SDK: it asks them on standard output. */
export const openSdk = (world: World, program: string): Session => {
  let running: Running | undefined
  let asked: { id: string; input: JsonObject } | undefined
  return {
    tell: async (prompt, kind) => {
      asked = undefined
      const streams = [
        '--input-format',
        'stream-json',
        '--output-format',
        'stream-json',
        '--verbose',
      ]
      const prompts = ['--permission-prompt-tool', 'stdio']
      const begun = start(world, program, [
        '-p',
        ...streams,
        ...prompts,
        ...claudeFlags(world, kind),
      ])
      running = begun
      createInterface({ input: begun.child.stdout }).on('line', (line) => {
        const message: unknown = line.startsWith('{') ? JSON.parse(line) : {}
        if (!isJsonObject(message)) return
        const { type, request_id, request } = message
        if (type === 'control_request' && isJsonObject(request) && isJsonObject(request.input)) {
          asked = { id: String(request_id), input: request.input }
        }
        if (type === 'control_cancel_request' && request_id === asked?.id) asked = undefined
        if (type === 'result') begun.child.stdin.end()
      })
      const content = [{ type: 'text', text: prompt }]
      const message = { type: 'user', message: { role: 'user', content } }
      begun.child.stdin.write(`${JSON.stringify(message)}\n`)
    },
    isAsking: async () => asked !== undefined,
    press: async (kind, isYes) => {
      const { id, input } = await until('it asks its program', () => asked)
      const answers = kind === 'question' ? { answers: { [questionIn(input)]: 'Blue' } } : {}
      const decision = isYes
        ? { behavior: 'allow', updatedInput: { ...input, ...answers } }
        : { behavior: 'deny', message: 'No.' }
      const response = { subtype: 'success', request_id: id, response: decision }
      running?.child.stdin.write(`${JSON.stringify({ type: 'control_response', response })}\n`)
    },
    settle: async () => void (await running?.ended),
    seen: async () => (running?.said() ?? '').slice(-1500),
    close: async () => void running?.child.kill(),
  }
}

const questionIn = ({ questions }: JsonObject): string => {
  const [first]: unknown[] = Array.isArray(questions) ? questions : []
  return isJsonObject(first) ? String(first.question) : ''
}

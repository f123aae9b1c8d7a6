import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isJsonObject, parseJsonObject } from '@steward/contract'
import { resolveHome, startSystemTimer } from '@steward/platform'
import { expect, it, onTestFinished } from 'vitest'
import { claudeDrive } from '../claude/drive.ts'
import { findProgram } from './find-program.ts'
import { openAgent } from './open-agent.ts'
import type { AgentUpdate } from './read-update.ts'

/** The data home of this machine: its adapter is used if `steward sessions setup claude` installed it. */
const findClaude = () => {
  try {
    return findProgram(claudeDrive, { home: resolveHome(process.env), env: process.env })
  } catch {
    return undefined
  }
}
const program = findClaude()

const usage = { input_tokens: 1, output_tokens: 1 }

/** Answers every request with a file to write, and its result with a sentence. */
const serveVendor = async (folder: string): Promise<string> => {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const tools = parseJsonObject(body)?.tools
    const canWrite =
      Array.isArray(tools) && tools.some((tool) => isJsonObject(tool) && tool.name === 'Write')
    const writes = canWrite && !body.includes('"tool_result"')
    const input = JSON.stringify({ file_path: join(folder, 'hello.txt'), content: 'hello' })
    const block = writes
      ? { type: 'tool_use', id: 'toolu_1', name: 'Write', input: {} }
      : { type: 'text', text: '' }
    const delta = writes
      ? { type: 'input_json_delta', partial_json: input }
      : { type: 'text_delta', text: 'It is written.' }
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      usage,
    }
    const stop = { stop_reason: writes ? 'tool_use' : 'end_turn', stop_sequence: null }
    const events = [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: stop, usage },
      { type: 'message_stop' },
    ]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    }
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

it.skipIf(program === undefined)(
  'drives the real Claude Code: a permission, an edit and its cost (needs: steward sessions setup claude)',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'steward-acp-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    const [folder, home] = [join(root, 'project'), join(root, 'home')]
    for (const each of [folder, home]) mkdirSync(each)
    const updates: AgentUpdate[] = []
    const asked: string[] = []
    const agent = await openAgent({
      mayPush: false,
      spec: claudeDrive,
      program: program ?? { command: '', args: [] },
      folder,
      homedir: home,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        ANTHROPIC_BASE_URL: await serveVendor(folder),
        ANTHROPIC_API_KEY: 'sk-ant-scripted',
      },
      startTimer: startSystemTimer,
      onUpdate: (update) => updates.push(update),
      onPermission: async ({ title }) => {
        asked.push(title)
        return { decision: 'allow', scope: 'once' }
      },
    })
    onTestFinished(() => agent.end())
    expect(await agent.prompt('write hello')).toBe('end_turn')
    expect(asked).toEqual(['Write hello.txt'])
    expect(readFileSync(join(folder, 'hello.txt'), 'utf8')).toBe('hello')
    expect(updates).toContainEqual(
      expect.objectContaining({ type: 'tool', name: 'Write', isNew: true }),
    )
    expect(updates).toContainEqual({ type: 'message', text: 'It is written.' })
    expect(updates.some(({ type }) => type === 'cost')).toBe(true)
  },
)

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { opencode } from './opencode.ts'
import { renderOpencodePlugin } from './plugin.ts'

const folder = mkdtempSync(join(tmpdir(), 'steward-opencode-plugin-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A hook that records what it was told, and refuses commands with `rm`. */
const HOOK = `
import { appendFileSync, readFileSync } from 'node:fs'
const input = readFileSync(0, 'utf8')
appendFileSync(${JSON.stringify(join(folder, 'told'))}, process.argv[2] + ' ' + input + '\\n')
if (process.argv[2] === 'permission.asked') console.log('{"reply":"once"}')
if (process.argv[2] === 'question.asked') console.log('{"answers":[["Blue"]]}')
if (process.argv.includes('--guard') && input.includes('rm -rf')) console.log('{"deny":"not that"}')
`
interface Plugin {
  'tool.execute.before': (input: object, output: object) => Promise<void>
  event: (given: { event: object }) => Promise<void>
}
let plugin: Plugin
const logged: object[] = []
beforeAll(async () => {
  const hook = join(folder, 'hook.mjs')
  const file = join(folder, 'plugin.mjs')
  writeFileSync(hook, HOOK)
  const events = opencode.hooks.map(({ event }) => event)
  writeFileSync(file, renderOpencodePlugin({ node: process.execPath, file: hook }, events))
  const loaded = await import(pathToFileURL(file).href)
  const client = {
    // As its client does, unless it is told to throw.
    postSessionIdPermissionsPermissionId: async () => ({ error: { name: 'NotFoundError' } }),
    _client: {
      post: async () => {
        throw new Error('connection refused')
      },
    },
    app: { log: async (line: object) => logged.push(line) },
  }
  plugin = await loaded.StewardPlugin({ directory: folder, client })
})
const told = (): string =>
  existsSync(join(folder, 'told')) ? readFileSync(join(folder, 'told'), 'utf8') : ''
const failedPart = (callID: string, error: string) => ({
  type: 'message.part.updated',
  properties: {
    sessionID: 's',
    part: { type: 'tool', tool: 'bash', callID, state: { status: 'error', error, input: {} } },
  },
})

it('reports a failure as one, and not what the policy or the person refused', async () => {
  const call = { tool: 'bash', sessionID: 's', callID: 'refused' }
  const refused = plugin['tool.execute.before'](call, { args: { command: 'rm -rf ~' } })
  await expect(refused).rejects.toThrow('not that')
  await plugin.event({ event: failedPart('refused', 'Error: not that') })
  const rejected = 'The user rejected permission to use this specific tool call.'
  await plugin.event({ event: failedPart('rejected', rejected) })
  await plugin.event({ event: failedPart('broken', 'File not found') })
  await plugin.event({ event: failedPart('broken', 'File not found') })
  // The end of a turn waits for everything that was told.
  await plugin.event({ event: { type: 'session.idle', properties: { sessionID: 's' } } })
  const failures = told()
    .split('\n')
    .filter((line) => line.startsWith('message.part.updated'))
  expect(failures).toHaveLength(1)
  expect(failures[0]).toContain('"callID":"broken"')
})

it('reports an answer that OpenCode did not take, in its log and in ours', async () => {
  for (const type of ['permission.asked', 'question.asked']) {
    await plugin.event({ event: { type, properties: { id: `id-of-${type}`, sessionID: 's' } } })
  }
  await expect.poll(() => logged.length).toBe(2)
  const said = told()
    .split('\n')
    .filter((line) => line.startsWith('answer.failed'))
    .toSorted()
  expect(said).toHaveLength(2)
  expect(said[0]).toContain('id-of-permission.asked did not reach OpenCode: {')
  expect(said[1]).toContain('id-of-question.asked did not reach OpenCode: connection refused')
  const payload: unknown = JSON.parse(said[1]?.replace(/^\S+ /, '') ?? '')
  const event = opencode.read(payload, 'answer.failed')
  expect(event).toMatchObject({ hook_event_name: 'AnswerFailed', session_id: 's' })
  expect(event.error).toContain('connection refused')
})

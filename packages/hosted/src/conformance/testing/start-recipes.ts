import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type Anthropic from '@anthropic-ai/sdk'
import { toFile } from '@anthropic-ai/sdk'
import { afterAll, expect, vi } from 'vitest'
import type { StartHostedOptions } from '../../serve/hosted-options.ts'
import { CLIENT_VERSIONS } from './client-versions.ts'
import { freshName, type Sent, type Streamed } from './follow.ts'
import type { Line, MessagesRequest } from './scripted-messages.ts'
import { connect, startWorld, type World } from './start-world.ts'

/** The built-in tools, all allowed, as the vendor's recipes configure them. */
export const ALLOWED: Anthropic.Beta.BetaManagedAgentsAgentToolset20260401Params = {
  type: 'agent_toolset_20260401',
  default_config: { enabled: true, permission_policy: { type: 'always_allow' } },
}

export const bash = (command: string): Line => ({ calls: [{ name: 'bash', input: { command } }] })
export const call = (name: string, input: Record<string, unknown>): Line => ({
  calls: [{ name, input }],
})

/** A tool that the program of the reader executes. */
export const customTool = (
  name: string,
  ...fields: string[]
): Anthropic.Beta.BetaManagedAgentsCustomToolParams => ({
  type: 'custom',
  name,
  description: `Executes ${name}.`,
  input_schema: {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
    required: fields,
  },
})

export const toolResult = (custom_tool_use_id: string, text: string, is_error = false): Sent => ({
  type: 'user.custom_tool_result',
  custom_tool_use_id,
  content: [{ type: 'text', text }],
  is_error,
})

export const pick = <T extends Streamed['type']>(events: readonly Streamed[], type: T) =>
  events.filter((event): event is Extract<Streamed, { type: T }> => event.type === type)

interface MadeAgent {
  id: string
  version: number
  /** For `agent` of a session. */
  pinned: { type: 'agent'; id: string; version: number }
  asked(): readonly MessagesRequest[]
}

/** A server until the end of a test file, the newest client, and the steps that most recipes begin with. */
interface Recipes {
  world: World
  client: Anthropic
  environment_id: string
  makeAgent(
    lines: readonly Line[],
    params?: Partial<Anthropic.Beta.AgentCreateParams>,
  ): Promise<MadeAgent>
  /** Uploads a file and returns its id. */
  upload(name: string, text: string): Promise<string>
  /** Uploads a folder as an archive and returns its id. */
  uploadFolder(files: Readonly<Record<string, string>>): Promise<string>
}

export const startRecipes = async (given: Partial<StartHostedOptions> = {}): Promise<Recipes> => {
  const world = await startWorld(given)
  const [newest] = CLIENT_VERSIONS
  if (newest === undefined) throw new Error('no client')
  const { client, faults } = await connect(world, newest)
  afterAll(async () => {
    expect(faults).toEqual([])
    expect(world.failures).toEqual([])
    await world.stop()
  })
  const environment = await client.beta.environments.create({
    name: 'recipes',
    config: { type: 'cloud', networking: { type: 'limited' } },
  })
  const uploadBytes = async (name: string, bytes: Uint8Array): Promise<string> =>
    (await client.files.upload({ file: await toFile(bytes, name) })).id
  return {
    world,
    client,
    environment_id: environment.id,
    makeAgent: async (lines, params = {}) => {
      const system = world.model.script(...lines)
      const { id, version } = await client.beta.agents.create({
        name: freshName('Agent'),
        model: 'claude-opus-4-6',
        system,
        tools: [ALLOWED],
        ...params,
      })
      const pinned = { type: 'agent' as const, id, version }
      return { id, version, pinned, asked: () => world.model.askedBy(system) }
    },
    upload: (name, text) => uploadBytes(name, Buffer.from(text)),
    uploadFolder: async (files) => {
      const folder = await mkdtemp(join(world.folder, 'project-'))
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), text, { mode: 0o755 })
      }
      const archive = `${folder}.tar.gz`
      await promisify(execFile)('tar', ['-czf', archive, '-C', folder, '.'])
      return uploadBytes('project.tar.gz', await readFile(archive))
    },
  }
}

/** Polls a session's events, as programs without a stream do, until it is idle again. */
export const pollUntilIdle = (client: Anthropic, sessionId: string, after = 0) =>
  vi.waitFor(
    async () => {
      const events = (await client.beta.sessions.events.list(sessionId, { limit: 1000 })).data
      const last = events.at(-1)
      if (events.length <= after || last?.type !== 'session.status_idle')
        throw new Error(`not idle: ${last?.type}`)
      return { events, last }
    },
    { timeout: 25_000, interval: 20 },
  )

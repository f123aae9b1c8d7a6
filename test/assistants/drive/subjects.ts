import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostName } from '@steward/contract'
import type { Machine } from '../machine.ts'
import type { Move } from '../usage/protocol.ts'

/** An assistant that Steward drives against the scripted vendor. */
export interface DrivenSubject {
  assistant: HostName
  /** The package of its own command, if it needs no adapter. */
  install?: readonly [npmName: string, version: string, command: string]
  /** What a person has set up: its settings, and a key for the vendor. */
  signIn: (machine: Machine, address: string) => void
  /** It has models that need no login, so it fails only at the vendor, which is not reached here. */
  needsNoLogin?: boolean
  /** It is one process, without any that it starts for its work. */
  isOneProcess?: boolean
  /** A call of the tool that asks for a permission and then writes a file. */
  write: (folder: string, file: string, text: string) => Move
  /** A call of the tool that it keeps its plan with. */
  plan: Move
}

const put = (folder: string, name: string, text: string): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text)
}

export const DRIVEN_SUBJECTS: readonly DrivenSubject[] = [
  {
    assistant: 'claude',
    signIn: ({ env }, address) => {
      Object.assign(env, {
        ANTHROPIC_BASE_URL: address,
        ANTHROPIC_API_KEY: 'sk-ant-scripted-0123456789abcdef',
        // The scripted model does not look for tools before it uses them.
        ENABLE_TOOL_SEARCH: 'false',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      })
    },
    write: (folder, file, content) => ({
      type: 'tool',
      name: 'Write',
      input: { file_path: join(folder, file), content },
    }),
    plan: {
      type: 'tool',
      name: 'TodoWrite',
      input: { todos: [{ content: 'Look', status: 'pending', activeForm: 'Looking' }] },
    },
  },
  {
    assistant: 'codex',
    signIn: ({ env, user }, address) => {
      env.VENDOR_KEY = 'key'
      put(
        join(user, '.codex'),
        'config.toml',
        `model = "gpt-5.5"
model_provider = "vendor"
approval_policy = "on-request"
[model_providers.vendor]
name = "vendor"
base_url = "${address}/v1"
wire_api = "responses"
env_key = "VENDOR_KEY"
`,
      )
    },
    // Its patches need no permission in the folder of a session, so it runs a command.
    write: (_, file, text) => ({
      type: 'tool',
      name: 'exec_command',
      input: {
        cmd: `printf ${text} > ${file}`,
        sandbox_permissions: 'require_escalated',
        justification: 'Writes a file',
      },
    }),
    plan: {
      type: 'tool',
      name: 'update_plan',
      input: { plan: [{ step: 'Look', status: 'pending' }] },
    },
  },
  {
    assistant: 'gemini',
    install: ['@google/gemini-cli', '0.61.0', 'gemini'],
    signIn: ({ env, user }, address) => {
      Object.assign(env, { GEMINI_API_KEY: 'key', GOOGLE_GEMINI_BASE_URL: address })
      const security = { auth: { selectedType: 'gemini-api-key' } }
      put(join(user, '.gemini'), 'settings.json', JSON.stringify({ security }))
    },
    write: (folder, file, content) => ({
      type: 'tool',
      name: 'write_file',
      input: { file_path: join(folder, file), content },
    }),
    plan: {
      type: 'tool',
      name: 'write_todos',
      input: { todos: [{ description: 'Look', status: 'pending' }] },
    },
  },
  {
    assistant: 'opencode',
    install: ['opencode-ai', '1.18.18', 'opencode'],
    needsNoLogin: true,
    isOneProcess: true,
    signIn: ({ env, user }, address) => {
      env.OPENCODE_DISABLE_MODELS_FETCH = '1'
      env.OPENCODE_DISABLE_LSP_DOWNLOAD = '1'
      const options = { baseURL: `${address}/v1`, apiKey: 'key' }
      put(
        join(user, '.config/opencode'),
        'opencode.json',
        JSON.stringify({
          model: 'anthropic/claude-sonnet-4-5',
          small_model: 'anthropic/claude-sonnet-4-5',
          provider: { anthropic: { options } },
          autoupdate: false,
          share: 'disabled',
          permission: { edit: 'ask' },
        }),
      )
    },
    write: (folder, file, content) => ({
      type: 'tool',
      name: 'write',
      input: { filePath: join(folder, file), content },
    }),
    plan: {
      type: 'tool',
      name: 'todowrite',
      input: { todos: [{ id: '1', content: 'Look', status: 'pending', priority: 'high' }] },
    },
  },
]

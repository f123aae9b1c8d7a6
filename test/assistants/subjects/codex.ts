import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../machine.ts'
import { openScreen } from '../screen.ts'
import type { Subject } from '../subject.ts'
import type { World } from '../world.ts'

export const prepareCodex = ({ user, project, vendor }: World): void => {
  mkdirSync(join(user, '.codex'), { recursive: true })
  writeFileSync(
    join(user, '.codex/config.toml'),
    `model = "scripted"
model_provider = "local"
approval_policy = "on-request"
sandbox_mode = "read-only"
[model_providers.local]
name = "local"
base_url = "${vendor.address}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
[projects."${project}"]
trust_level = "trusted"
`,
  )
}

const ASKS = /Would you like to run the following command\?/

/** In its screen; `codex exec` never asks. Its questions exist in its plan mode only, without a hook. */
export const codexSubject = (version: string, program: string): Subject => ({
  name: `codex ${version}`,
  mode: 'terminal',
  hidesPrompt: true,
  steps: {
    permission: (task) => [
      {
        tool: 'exec_command',
        input: {
          cmd: `node mark.mjs ${task}`,
          sandbox_permissions: 'require_escalated',
          justification: 'Marks the project',
        },
      },
    ],
  },
  open: async (world) => {
    const env = { ...world.env, CODEX_HOME: join(world.user, '.codex'), LOCAL_KEY: 'x' }
    const screen = await openScreen(world.root, [program], {
      cwd: world.project,
      env,
      ready: /Ask Codex to do anything/,
    })
    const isAsking = async () => ASKS.test(await screen.text())
    return {
      isAsking,
      tell: async (prompt) => {
        await screen.type(prompt)
        await until('the prompt is typed', async () => (await screen.text()).includes(prompt))
        // What is typed fast is taken for pasted, and the first key after it for a line break.
        await until('the turn starts', async () => {
          await new Promise((resolve) => setTimeout(resolve, 1000))
          await screen.press('Enter')
          await new Promise((resolve) => setTimeout(resolve, 1000))
          return !/›\s*\n?.*TASK-\w+\s*\n\s*\n?\s*scripted default/.test(await screen.text())
        })
      },
      press: async (_kind, isYes) => {
        await until('Codex asks', isAsking)
        await screen.press(isYes ? 'Enter' : 'Escape')
      },
      settle: async () => {
        await until('the turn ends', async () => {
          const shown = await screen.text()
          return /Ask Codex to do anything/.test(shown) && !/esc to interrupt/.test(shown)
        })
      },
      seen: screen.text,
      close: screen.close,
    }
  },
})

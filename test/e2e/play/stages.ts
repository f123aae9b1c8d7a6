import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installStandIn } from '../../../packages/assistants/src/acp/testing/install-stand-in.ts'
import { serveTopics } from '../../../packages/daemon/src/modules/attention/testing/serve-topics.ts'
import {
  STAND_IN_ACCOUNT,
  startPlatformStandIn,
} from '../../../packages/edge/src/deploy/testing/platform-stand-in.ts'
import { writeLogin } from '../write-login.ts'

/** What a tutorial finds outside of this machine, and the person at the phone. */
export interface Stage {
  env?: Readonly<Record<string, string>>
  /** What a person has done before the page: a script, run first. */
  before?: string
  /** Words of the page that stand for a value of the person, by the shell text that prints it. */
  fill?: Readonly<Record<string, string>>
  /** Looks at the phone now and then while the tutorial runs. */
  person?: () => Promise<void>
  /** What is wrong outside of this machine when the page is over. */
  findFaults?: () => string[]
  close?: () => void | Promise<void>
}

const addProgram = (home: string, name: string, words: readonly string[]): void => {
  const file = join(home, 'bin', name)
  mkdirSync(join(home, 'bin'), { recursive: true })
  writeFileSync(file, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`)
  chmodSync(file, 0o755)
}

/** Puts `steward` on the PATH, as an installation does, the Node that runs it, and a browser. */
export const addSteward = (home: string, launcher: string): void => {
  addProgram(home, 'steward', [process.execPath, launcher])
  addProgram(home, 'node', [process.execPath])
  addBrowser(home)
}

/** A browser that only prints the addresses it is opened with. */
export const addBrowser = (home: string): void => addProgram(home, 'xdg-open', ['echo', 'opened'])

export const addClaude = (home: string): void =>
  addProgram(home, 'claude', [process.execPath, join(import.meta.dirname, 'stand-in-claude.mjs')])

export const writeSettings = (home: string, settings: object): void => {
  mkdirSync(join(home, '.steward'), { recursive: true })
  writeFileSync(join(home, '.steward/settings.json'), JSON.stringify(settings))
}

/** An ntfy server on loopback, and a person who presses Allow on everything that arrives. */
export const openPhone = async (home: string): Promise<Stage> => {
  addClaude(home)
  const ntfy = await serveTopics()
  writeSettings(home, {
    voice: { provider: 'none' },
    notifications: { push: { server: ntfy.address }, thresholds: { waitingSeconds: 0 } },
  })
  const pressed = new Set<string>()
  return {
    person: async () => {
      const push = ntfy.shown.find(({ id }) => !pressed.has(id))
      if (push === undefined) return
      pressed.add(push.id)
      await ntfy.press(push, 'Allow')
    },
    close: ntfy.close,
  }
}

const openAccount = async (home: string): Promise<Stage> => {
  const platform = await startPlatformStandIn()
  return {
    env: {
      XDG_CONFIG_HOME: writeLogin(home),
      CLOUDFLARE_API_BASE_URL: platform.baseUrl,
      CLOUDFLARE_ACCOUNT_ID: STAND_IN_ACCOUNT,
    },
    close: platform.close,
  }
}

const MENU = 'write menu.txt Assam\nsay The menu is written.'

/** Makes a stage in a home whose daemon will listen on `port`. */
export type OpenStage = (home: string, port: number) => Promise<Stage>

/** By page; the others need nothing from outside. */
export const TUTORIAL_STAGES: Readonly<Record<string, OpenStage>> = {
  'tutorial-watch.md': async (home) => {
    addClaude(home)
    return {}
  },
  'tutorial-obsidian.md': async (home) => {
    addClaude(home)
    return {}
  },
  'tutorial-phone.md': openPhone,
  'tutorial-background-agent.md': async (home) => {
    await installStandIn('claude', { root: join(home, '.steward'), script: MENU })
    return {}
  },
  'tutorial-edge.md': openAccount,
}

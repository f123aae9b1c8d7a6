import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from './machine.ts'

const run = promisify(execFile)

/** A terminal that a program believes in: a window of a tmux server of our own. */
export interface Screen {
  text: () => Promise<string>
  /** The title of its tab. */
  title: () => Promise<string>
  type: (text: string) => Promise<void>
  /** Names of keys, as tmux calls them. */
  press: (...keys: string[]) => Promise<void>
  close: () => Promise<void>
}

interface Start {
  cwd: string
  env: Record<string, string>
  /** Shown once the program takes a prompt. */
  ready: RegExp
  /** An offer that it may show before, and that Escape declines. */
  offer?: RegExp
  limitMs?: number
}

/** Starts a program, and waits until it is ready. */
export const openScreen = async (
  folder: string,
  command: readonly string[],
  { cwd, env, ready, offer, limitMs }: Start,
): Promise<Screen> => {
  // A server that is ending still holds its socket.
  const socket = mkdtempSync(join(folder, 'tmux-'))
  const tmux = async (...args: string[]): Promise<string> =>
    (await run('tmux', ['-S', join(socket, 's'), '-f', '/dev/null', ...args], { env })).stdout
  const settings = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const words = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  await tmux('new-session', '-d', '-x', '150', '-y', '50', '-c', cwd, ...settings, words)
  const screen: Screen = {
    text: async () => (await tmux('capture-pane', '-p').catch(() => '')).trimEnd(),
    title: async () =>
      (await tmux('display-message', '-p', '#{window_name}').catch(() => '')).trim(),
    type: async (text) => void (await tmux('send-keys', '-l', text)),
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    close: async () => void (await tmux('kill-server').catch(() => '')),
  }
  try {
    const look = async (): Promise<boolean> => {
      const shown = await screen.text()
      if (offer?.test(shown)) await screen.press('Escape')
      return ready.test(shown)
    }
    await until('it starts', look, limitMs)
  } catch (thrown) {
    const shown = await screen.text()
    await screen.close()
    throw new Error(`it does not start: ${shown.replaceAll(/\n\s*/g, ' ')}`, { cause: thrown })
  }
  return screen
}

import type { TabPorts } from './tab-ports.ts'
import { isTabTarget, type TabTarget } from './tab-target.ts'
import { findTerminalOwner, PS_ALL } from './terminal-owner.ts'
import { detectTerminal } from './terminals.ts'

export interface OwnProcess {
  env: Readonly<Record<string, string | undefined>>
  pid: number
}

/** The tab of a session's process; must be called from inside it. */
export const findTabTarget = async (
  { env, pid }: OwnProcess,
  { run }: Pick<TabPorts, 'run'>,
): Promise<TabTarget | undefined> => {
  const named = findNamedTab(env)
  if (named !== 'unnamed') return named
  const processes = await run(PS_ALL)
  const owner = processes.ok ? findTerminalOwner(processes.value, pid) : undefined
  if (owner === undefined) return undefined
  const { path, pid: ownerPid, started: ownerStarted } = owner
  return check({ kind: 'tty', path, ownerPid, ownerStarted, terminal: detectTerminal(env) })
}

/** The tab named by the environment, which is cheap to read. `unnamed`: there may still be one. */
export const findNamedTab = (env: OwnProcess['env']): TabTarget | undefined | 'unnamed' => {
  if (env.TMUX && env.TMUX_PANE) {
    const [, socket, serverPid] = /^(.*),(\d+),[^,]*$/.exec(env.TMUX) ?? []
    const terminal = detectTerminal(env)
    return check({ kind: 'tmux', socket, serverPid, pane: env.TMUX_PANE, terminal })
  }
  if (env.KITTY_LISTEN_ON && env.KITTY_WINDOW_ID) {
    const { KITTY_LISTEN_ON: listenOn, KITTY_WINDOW_ID: windowId } = env
    return check({ kind: 'kitty', listenOn, windowId })
  }
  return 'unnamed'
}

/** The environment is untrusted; anything that is not a tab is ignored. */
const check = (target: unknown): TabTarget | undefined => (isTabTarget(target) ? target : undefined)

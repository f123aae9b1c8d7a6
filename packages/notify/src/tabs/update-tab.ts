import { ok, type Result } from '@steward/contract'
import { TAB_COLOURS, type TabLook } from './phase-looks.ts'
import { buildTabColour, buildTabSequence, wrapForTmux } from './sequences.ts'
import type { TabPorts } from './tab-ports.ts'
import type { KittyTab, TabTarget, TmuxTab, TtyTab } from './tab-target.ts'
import { isSameOwner, PS_ALL } from './terminal-owner.ts'

/** `gone`: the remembered tab no longer belongs to the session, so it is left alone. */
export type TabOutcome = 'updated' | 'gone'

/** Updates a session's tab. */
export const updateTab = (
  target: TabTarget,
  look: TabLook,
  ports: TabPorts,
): Promise<Result<TabOutcome>> => {
  if (target.kind === 'kitty') return runAll(kittyCommands(target, look), ports)
  if (target.kind === 'tmux') return updateTmux(target, look, ports)
  return updateTty(target, look, ports)
}

const runAll = async (
  commands: ReadonlyArray<readonly string[]>,
  { run }: TabPorts,
): Promise<Result<TabOutcome>> => {
  for (const argv of commands) {
    const done = await run(argv)
    if (!done.ok) return done
  }
  return ok('updated')
}

/** Tabs are matched by a window in them, windows by their id. */
const kittyCommands = (
  { listenOn, windowId }: KittyTab,
  { title, background }: TabLook,
): string[][] => {
  const remote = (command: string) => ['kitten', '@', `--to=${listenOn}`, command]
  const { activeBackground, activeText, inactiveText } = TAB_COLOURS
  return [
    [...remote('set-tab-title'), `--match=window_id:${windowId}`, title],
    [...remote('set-window-title'), `--match=id:${windowId}`, title],
    [
      ...remote('set-tab-color'),
      `--match=window_id:${windowId}`,
      `active_bg=${activeBackground}`,
      `active_fg=${activeText}`,
      `inactive_bg=${background}`,
      `inactive_fg=${inactiveText}`,
    ],
  ]
}

/** tmux would execute `#(…)` in a name. */
const plainForTmux = (title: string): string => title.replaceAll('#', '＃')

const tmuxCommands = ({ socket, pane }: TmuxTab, { title, background }: TabLook): string[][] => {
  // Without -u, and without a locale as under a supervisor, tmux would replace non-ASCII characters
  // by underscores.
  const tmux = ['tmux', '-u', '-S', socket]
  const plain = plainForTmux(title)
  const style = `bg=${background},fg=${TAB_COLOURS.inactiveText}`
  return [
    [...tmux, 'select-pane', '-t', pane, '-T', plain],
    [...tmux, 'rename-window', '-t', pane, plain],
    [...tmux, 'set-option', '-w', '-t', pane, 'window-status-style', style],
  ]
}

const updateTmux = async (
  target: TmuxTab,
  look: TabLook,
  ports: TabPorts,
): Promise<Result<TabOutcome>> => {
  const { socket, pane, serverPid, terminal } = target
  const ask = ['tmux', '-u', '-S', socket, 'display-message', '-p', '-t', pane]
  const found = await ports.run([...ask, '#{pid} #{pane_id} #{pane_tty}'])
  // No server, or the pane is unknown.
  if (!found.ok) return ok('gone')
  const [pid, paneId, tty = ''] = found.value.trim().split(' ')
  if (pid !== serverPid || paneId !== pane) return ok('gone')
  const done = await runAll(tmuxCommands(target, look), ports)
  const colour = wrapForTmux(buildTabColour(terminal, look.background))
  if (!done.ok || colour === '' || !tty.startsWith('/dev/')) return done
  const written = await ports.writeTty(tty, colour)
  return written.ok ? done : written
}

const updateTty = async (
  { path, ownerPid, ownerStarted, terminal }: TtyTab,
  look: TabLook,
  ports: TabPorts,
): Promise<Result<TabOutcome>> => {
  const processes = await ports.run(PS_ALL)
  if (!processes.ok) return processes
  if (!isSameOwner(processes.value, { path, pid: ownerPid, started: ownerStarted }))
    return ok('gone')
  const written = await ports.writeTty(path, buildTabSequence(terminal, look))
  return written.ok ? ok('updated') : written
}

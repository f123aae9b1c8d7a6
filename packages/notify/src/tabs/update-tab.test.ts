import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ok } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findTabTarget } from './find-tab-target.ts'
import { recallTab, rememberTab, tabTargetsPath } from './tab-memory.ts'
import { tabPorts } from './tab-ports.ts'
import type { TabTarget } from './tab-target.ts'
import { findTerminalOwner, isSameOwner } from './terminal-owner.ts'
import { updateTab } from './update-tab.ts'

const LOOK = { title: '🔨 Roof', background: '#78350F' }

const createFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-tabs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const has = (program: string): boolean => {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const PS = [
  '    1     0 ?        Sun Nov 15 07:00:00 2026',
  '   40     1 pts/3    Sun Nov 15 07:01:00 2026',
  '   41    40 pts/3    Sun Nov 15 07:02:00 2026',
  '   42    41 ?        Sun Nov 15 07:03:00 2026',
  '   50     1 ttys001  Sun Nov 15 07:04:00 2026',
  'nonsense',
].join('\n')

describe('the owner of a terminal', () => {
  it('is its first process, found from a child without a terminal', () => {
    const owner = { path: '/dev/pts/3', pid: 40, started: 'Sun Nov 15 07:01:00 2026' }
    expect(findTerminalOwner(PS, 42)).toEqual(owner)
    expect(findTerminalOwner(PS, 50)?.path).toBe('/dev/ttys001')
    expect(findTerminalOwner(PS, 1)).toBeUndefined()
    expect(findTerminalOwner(PS, 999)).toBeUndefined()
    expect(isSameOwner(PS, owner)).toBe(true)
    expect(isSameOwner(PS, { ...owner, started: 'Sun Nov 15 09:01:00 2026' })).toBe(false)
    expect(isSameOwner(PS, { ...owner, path: '/dev/pts/4' })).toBe(false)
  })
})

describe('findTabTarget', () => {
  const find = (env: Record<string, string>) =>
    findTabTarget({ env, pid: 42 }, { run: async () => ok(PS) })

  it('detects tmux, kitty and plain terminals', async () => {
    expect(
      await find({ TMUX: '/tmp/tmux-1/default,77,0', TMUX_PANE: '%4', KITTY_WINDOW_ID: '2' }),
    ).toMatchObject({ kind: 'tmux', socket: '/tmp/tmux-1/default', serverPid: '77', pane: '%4' })
    expect(await find({ KITTY_LISTEN_ON: 'unix:/run/k-1', KITTY_WINDOW_ID: '2' })).toEqual({
      kind: 'kitty',
      listenOn: 'unix:/run/k-1',
      windowId: '2',
    })
    expect(await find({ WT_SESSION: 'x' })).toMatchObject({
      kind: 'tty',
      path: '/dev/pts/3',
      terminal: 'windows-terminal',
    })
  })

  it('ignores values that are not a tab', async () => {
    expect(await find({ TMUX: 'x', TMUX_PANE: '%4' })).toBeUndefined()
    expect(await find({ TMUX: '/a,1,0', TMUX_PANE: '-t evil' })).toBeUndefined()
    expect(await find({ KITTY_LISTEN_ON: 'unix:/a b', KITTY_WINDOW_ID: '2' })).toBeUndefined()
  })
})

describe('updateTab', () => {
  const record = () => {
    const runs: string[][] = []
    const ports = {
      run: async (argv: readonly string[]) => {
        runs.push([...argv])
        return ok(PS)
      },
      writeTty: async (path: string, text: string) => {
        runs.push(['write', path, text])
        return ok(undefined)
      },
    }
    return { runs, ports }
  }

  it('reaches only the named window of the named kitty', async () => {
    const { runs, ports } = record()
    const target: TabTarget = { kind: 'kitty', listenOn: 'unix:/run/k-1', windowId: '2' }
    expect(await updateTab(target, LOOK, ports)).toEqual(ok('updated'))
    const remote = ['kitten', '@', '--to=unix:/run/k-1']
    expect(runs).toEqual([
      [...remote, 'set-tab-title', '--match=window_id:2', '🔨 Roof'],
      [...remote, 'set-window-title', '--match=id:2', '🔨 Roof'],
      [
        ...remote,
        'set-tab-color',
        '--match=window_id:2',
        'active_bg=#002B80',
        'active_fg=#FFFFFF',
        'inactive_bg=#78350F',
        'inactive_fg=#A0A0A0',
      ],
    ])
  })

  it('leaves a terminal alone that now belongs to another process', async () => {
    const { runs, ports } = record()
    const target: TabTarget = {
      kind: 'tty',
      path: '/dev/pts/3',
      ownerPid: 40,
      ownerStarted: 'Sun Nov 15 06:00:00 2026',
      terminal: 'other',
    }
    expect(await updateTab(target, LOOK, ports)).toEqual(ok('gone'))
    expect(runs.filter(([name]) => name === 'write')).toEqual([])
    const same = { ...target, ownerStarted: 'Sun Nov 15 07:01:00 2026' }
    expect(await updateTab(same, LOOK, ports)).toEqual(ok('updated'))
    expect(runs.at(-1)).toEqual(['write', '/dev/pts/3', '\u001b]0;🔨 Roof\u0007'])
  })

  it('reports a missing program', async () => {
    const target: TabTarget = { kind: 'kitty', listenOn: 'unix:/nowhere', windowId: '1' }
    const done = await updateTab(target, LOOK, {
      ...tabPorts,
      run: ([, ...args]) => tabPorts.run(['no-such-kitten', ...args]),
    })
    expect(done.ok ? '' : done.error.message).toContain('no-such-kitten')
  })

  it.skipIf(!has('tmux'))(
    'renames the window of its pane in a real tmux, and no other',
    async () => {
      const socket = join(createFolder(), 'tmux.sock')
      const tmux = (...args: string[]): string =>
        execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', socket, ...args], {
          encoding: 'utf8',
        }).trim()
      tmux('new-session', '-d', '-s', 'one', '-n', 'mine', 'sleep 300')
      onTestFinished(() => void tmux('kill-server'))
      tmux('new-window', '-d', '-n', 'theirs', 'sleep 300')
      const [mine = '', theirs = ''] = tmux('list-panes', '-a', '-F', '#{pane_id}').split('\n')
      const serverPid = tmux('display-message', '-p', '#{pid}')
      const target: TabTarget = { kind: 'tmux', socket, serverPid, pane: mine, terminal: 'iterm2' }
      const marker = join(createFolder(), 'ran')
      const title = `🔨 Roof #(touch ${marker}) #{pane_pid} "$(touch ${marker})\``
      expect(await updateTab(target, { ...LOOK, title }, tabPorts)).toEqual(ok('updated'))
      const show = (pane: string, what: string) => tmux('display-message', '-p', '-t', pane, what)
      expect(show(mine, '#{window_name}')).toBe(title.replaceAll('#', '＃'))
      expect(show(mine, '#{pane_title}')).toBe(title.replaceAll('#', '＃'))
      expect(show(mine, '#{window-status-style}')).toBe('bg=#78350F,fg=#A0A0A0')
      expect(show(theirs, '#{window_name}')).toBe('theirs')
      expect(existsSync(marker)).toBe(false)

      expect(await updateTab({ ...target, serverPid: '1' }, LOOK, tabPorts)).toEqual(ok('gone'))
      expect(await updateTab({ ...target, pane: '%99' }, LOOK, tabPorts)).toEqual(ok('gone'))
      expect(show(theirs, '#{window_name}')).toBe('theirs')
    },
  )

  it.skipIf(process.platform !== 'linux' || !has('script'))(
    'writes to a real terminal',
    async () => {
      const child = spawn('script', ['-qc', 'echo "pid $$"; exec sleep 300', '/dev/null'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      let shown = ''
      child.stdout.on('data', (chunk: Uint8Array) => {
        shown += Buffer.from(chunk).toString()
      })
      await expect.poll(() => shown).toMatch(/pid \d+/)
      const pid = Number(/pid (\d+)/.exec(shown)?.[1])
      onTestFinished(() => void process.kill(pid, 'SIGKILL'))
      const target = await findTabTarget({ env: {}, pid }, tabPorts)
      expect(target).toMatchObject({ kind: 'tty', ownerPid: pid })
      if (target === undefined) return
      expect(await updateTab(target, LOOK, tabPorts)).toEqual(ok('updated'))
      await expect.poll(() => shown).toContain('\u001b]0;🔨 Roof\u0007')
    },
  )
})

describe('the memory of tabs', () => {
  const target: TabTarget = { kind: 'kitty', listenOn: 'unix:/run/k-1', windowId: '2' }

  it('keeps one tab for each session, and forgets old ones', async () => {
    const home = resolveHome({ STEWARD_HOME: createFolder() })
    const there = { stateDir: home.root }
    expect(await recallTab(there, 's1')).toEqual(ok(undefined))
    await rememberTab(there, 's1', target, 1000)
    await rememberTab(there, '__proto__', { ...target, windowId: '3' }, 2000)
    expect(await recallTab(there, 's1')).toEqual(ok(target))
    expect(await recallTab(there, '__proto__')).toEqual(ok({ ...target, windowId: '3' }))
    expect(await recallTab(there, 'constructor')).toEqual(ok(undefined))
    await rememberTab(there, 's2', target, 8 * 86_400_000)
    expect(await recallTab(there, 's1')).toEqual(ok(undefined))
    expect(await recallTab(there, 's2')).toEqual(ok(target))
  })

  it('ignores invalid entries', async () => {
    const there = { stateDir: createFolder() }
    const strange = { s1: { target: { kind: 'tty', path: '/dev/sda' }, at: 1 }, s2: 5 }
    writeFileSync(tabTargetsPath(there), JSON.stringify(strange))
    expect(await recallTab(there, 's1')).toEqual(ok(undefined))
    writeFileSync(tabTargetsPath(there), '[')
    expect((await recallTab(there, 's1')).ok).toBe(false)
  })
})

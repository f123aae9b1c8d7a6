import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { chooseStage, launchBubblewrap } from './launch-bubblewrap.ts'

describe.runIf(process.platform === 'linux')('starting bubblewrap', () => {
  it('passes on no open descriptor except the pipes of the sandbox', async () => {
    const folder = openSync('/', 'r')
    const { command, args } = launchBubblewrap(['-1', '/proc/self/fd'], {
      bwrap: '/bin/ls',
      limitEntries: [],
    })
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'inherit', 'pipe', 'pipe', folder, folder, folder],
    })
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    await once(child, 'close')
    closeSync(folder)
    // The last descriptor is the folder being listed.
    expect(text.trim().split('\n')).toEqual(['0', '1', '2', '3', '4', '5'])
  })

  it('gives up the rights of root before bubblewrap begins, for a user of the session', () => {
    const { command, args } = launchBubblewrap(['--x', "it's"], {
      bwrap: '/usr/bin/bwrap',
      limitEntries: ['/sys/fs/cgroup/a b/cgroup.procs'],
      staged: { owner: 1_900_000_001, stage: '/mnt', paths: new Map([['/root/ws', '/mnt/0']]) },
    })
    expect(command).toBe('unshare')
    const script = args.at(-1) ?? ''
    expect(script).toContain("echo 0 > '/sys/fs/cgroup/a b/cgroup.procs'")
    expect(script).toContain("mount --bind '/root/ws' '/mnt/0'")
    expect(script).toMatch(
      /exec setpriv --reuid 1900000001 --regid 1900000001 --clear-groups .*--bounding-set=-all -- '\/usr\/bin\/bwrap' '--x' 'it'\\''s'$/,
    )
  })

  it('chooses a stage that hides nothing', () => {
    expect(chooseStage(['/root/a'], () => true)).toBe('/mnt')
    expect(chooseStage(['/mnt/disk/a', '/media'], () => true)).toBe('/srv')
    expect(chooseStage([], (path) => path === '/opt')).toBe('/opt')
    expect(chooseStage([], () => false)).toBeUndefined()
  })
})

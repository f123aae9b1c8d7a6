import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLaunchd } from './launchd.ts'
import { createCommands } from './run-command.ts'
import type { SupervisorPorts } from './supervisor.ts'
import { createSystemd, hasSystemd } from './systemd.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-service-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Puts a command on the path that records its calls and prints what the test configures. */
const putCommand = (name: string, script: string): void => {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\necho "${name} $*" >> "${folder}/calls"\n${script}\n`)
  chmodSync(path, 0o755)
}
const calls = (): string[] =>
  existsSync(join(folder, 'calls'))
    ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
    : []

const portsFor = (): SupervisorPorts => {
  const sink = { write: () => undefined }
  const env = { PATH: `${folder}:/usr/bin:/bin` }
  const { signal } = new AbortController()
  return {
    program: {
      argv: ['/opt/my node/bin/node', '/opt/st%eward/bin/steward.mjs', 'daemon'],
      env: { STEWARD_HOME: '/home/ada/$data "x"' },
      home: '/home/ada/data',
    },
    homedir: folder,
    uid: 501,
    ...createCommands({ env, signal, out: sink, err: sink }),
  }
}

describe('systemd', () => {
  const unit = () => readFileSync(join(folder, '.config/systemd/user/steward.service'), 'utf8')

  it('writes a unit that keeps every argument unchanged, and enables it', async () => {
    putCommand('systemctl', 'exit 0')
    expect(await createSystemd(portsFor()).install()).toContain('steward.service')
    expect(unit()).toContain(
      'ExecStart="/opt/my node/bin/node" "/opt/st%%eward/bin/steward.mjs" "daemon"\n',
    )
    expect(unit()).toContain('Environment="STEWARD_HOME=/home/ada/$$data \\"x\\""\n')
    expect(unit()).toMatch(/^Restart=on-failure$/m)
    // Without it, a systemd that does not support growing delays stops after five restarts.
    expect(unit()).toMatch(/^\[Unit\][^[]*^StartLimitIntervalSec=0$/m)
    // systemd warns about an address that is relative.
    expect(unit()).not.toMatch(/^Documentation=file:[^/]/m)
    expect(calls()).toEqual([
      'systemctl --user daemon-reload',
      'systemctl --user enable steward.service',
    ])
  })

  it('is only there when its own command answers', async () => {
    const { run } = portsFor()
    expect(await hasSystemd(run)).toBe(false)
    putCommand('systemctl', 'exit 1')
    expect(await hasSystemd(run)).toBe(false)
    putCommand('systemctl', 'exit 0')
    expect(await hasSystemd(run)).toBe(true)
  })

  it('reports the state of the unit', async () => {
    putCommand(
      'systemctl',
      'printf "LoadState=loaded\\nActiveState=active\\nSubState=running\\nMainPID=42\\nNRestarts=3\\n"',
    )
    expect(await createSystemd(portsFor()).status()).toEqual({
      supervisor: 'systemd',
      installed: false,
      running: true,
      pid: 42,
      restarts: 3,
      refused: null,
      detail: 'active running',
    })
  })

  it('does not restart a daemon after a conflict with another one, and reports it', async () => {
    putCommand(
      'systemctl',
      '[ "$2" != show ] || printf "ActiveState=failed\\nMainPID=0\\nExecMainStatus=4\\n"',
    )
    const systemd = createSystemd(portsFor())
    await systemd.install()
    expect(unit()).toMatch(/^RestartPreventExitStatus=4$/m)
    expect(await systemd.status()).toMatchObject({
      running: false,
      refused: 'another daemon uses the data home or the port',
    })
  })

  it('passes on why a command failed', async () => {
    putCommand('systemctl', 'echo "Unit is masked." >&2; exit 1')
    await expect(createSystemd(portsFor()).start()).rejects.toThrow('Unit is masked.')
  })

  it('removes its files', async () => {
    putCommand('systemctl', 'exit 0')
    const systemd = createSystemd(portsFor())
    await systemd.install()
    await systemd.uninstall()
    expect(existsSync(join(folder, '.config/systemd/user/steward.service'))).toBe(false)
    expect(calls()).toContain('systemctl --user disable --now steward.service')
    expect(await systemd.uninstall()).toBe('it was not installed')
  })
})

describe('launchd', () => {
  const open = () => createLaunchd({ ...portsFor(), logFile: '/home/ada/data/daemon.log' })
  const plist = () =>
    readFileSync(join(folder, 'Library/LaunchAgents/dev.steward.daemon.plist'), 'utf8')

  it('writes an agent that is started again unless it ended well, and loads it', async () => {
    putCommand('launchctl', '[ "$1" != print ]')
    await open().install()
    expect(plist()).toContain('<string>/opt/my node/bin/node</string>')
    expect(plist()).toMatch(/<key>STEWARD_SUPERVISED<\/key>\s*<string>launchd<\/string>/)
    expect(plist()).toMatch(/<key>SuccessfulExit<\/key>\s*<false\/>/)
    expect(calls()).toContain(
      `launchctl bootstrap gui/501 ${folder}/Library/LaunchAgents/dev.steward.daemon.plist`,
    )
  })

  it('reads pid and starts from the output of launchctl', async () => {
    putCommand('launchctl', 'printf "\\tstate = running\\n\\truns = 3\\n\\tpid = 99\\n"')
    expect(await open().status()).toMatchObject({
      running: true,
      pid: 99,
      restarts: 2,
      detail: 'running',
    })
  })

  it('restarts by killing the old one first', async () => {
    putCommand('launchctl', 'exit 0')
    await open().restart()
    expect(calls().at(-1)).toBe('launchctl kickstart -k gui/501/dev.steward.daemon')
  })
})

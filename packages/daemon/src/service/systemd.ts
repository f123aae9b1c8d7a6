import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { EXIT } from '@steward/contract'
import { writeFileAtomically } from '@steward/platform'
import { requireSuccess } from './run-command.ts'
import type { DaemonProgram, Supervisor, SupervisorPorts } from './supervisor.ts'

const UNIT = 'steward.service'
const SYSTEMCTL = ['systemctl', '--user']

/** Whether this login has a user systemd: containers and bare consoles do not. */
export const hasSystemd = async (run: SupervisorPorts['run']): Promise<boolean> =>
  (await run([...SYSTEMCTL, 'show-environment'])).code === 0

/** The user's systemd: no root, started at login (with lingering, at boot). */
export const createSystemd = ({ program, homedir, run, show }: SupervisorPorts): Supervisor => {
  const folder = join(homedir, '.config', 'systemd', 'user')
  const path = join(folder, UNIT)
  const control = (...args: string[]) => requireSuccess(run, [...SYSTEMCTL, ...args])
  const install = async () => {
    await mkdir(folder, { recursive: true })
    await writeFileAtomically(path, renderUnit(program), { mode: 0o600 })
    await control('daemon-reload')
    await control('enable', UNIT)
  }
  return {
    kind: 'systemd',
    install: async () => {
      await install()
      return `installed ${path}; it starts with your login (loginctl enable-linger: with the machine)`
    },
    uninstall: async () => {
      if (!existsSync(path)) return 'it was not installed'
      await control('disable', '--now', UNIT)
      await rm(path)
      await control('daemon-reload')
      return `removed ${path}`
    },
    start: async () => {
      if (!existsSync(path)) await install()
      await control('start', UNIT)
      return 'started'
    },
    stop: async () => {
      await control('stop', UNIT)
      return 'stopped'
    },
    restart: async () => {
      if (!existsSync(path)) await install()
      await control('restart', UNIT)
      return 'restarted'
    },
    status: async () => {
      const properties = 'LoadState,ActiveState,SubState,MainPID,NRestarts,ExecMainStatus'
      const { stdout } = await run([...SYSTEMCTL, 'show', UNIT, `--property=${properties}`])
      const shown = readProperties(stdout)
      const pid = Number(shown.get('MainPID') ?? 0)
      return {
        supervisor: 'systemd',
        installed: existsSync(path),
        running: shown.get('ActiveState') === 'active',
        pid: pid > 0 ? pid : null,
        restarts: Number(shown.get('NRestarts') ?? 0),
        refused: isRefused(shown) ? 'another daemon uses the data home or the port' : null,
        detail: [shown.get('ActiveState'), shown.get('SubState')].filter(Boolean).join(' ') || null,
      }
    },
    logs: ({ lines, follow }) =>
      show([
        'journalctl',
        '--user',
        '--unit',
        UNIT,
        '--output=cat',
        `--lines=${lines}`,
        ...(follow ? ['--follow'] : []),
      ]),
  }
}

const isRefused = (shown: Map<string, string>): boolean =>
  shown.get('ActiveState') === 'failed' && shown.get('ExecMainStatus') === String(EXIT.conflict)

/**
 * A clean exit is not restarted (a disabled server, a stop), nor is a conflict with another daemon,
 * which would happen again. All other exits are restarted, however often, with growing delays;
 * a systemd before 254 does not support those and restarts every second.
 */
const renderUnit = ({ argv, env }: DaemonProgram): string => `[Unit]
Description=Steward daemon
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${argv.map(quoteWord).join(' ')}
${Object.entries(env)
  .map(([name, value]) => `Environment=${quoteWord(`${name}=${value}`)}\n`)
  .join('')}Restart=on-failure
RestartPreventExitStatus=${EXIT.conflict}
RestartSec=1
RestartSteps=6
RestartMaxDelaySec=60
KillMode=mixed
TimeoutStopSec=30
UMask=0077

[Install]
WantedBy=default.target
`

/** systemd expands `%` and `$` and splits at spaces; quoting and doubling prevents this. */
const quoteWord = (word: string): string =>
  `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`

const readProperties = (text: string): Map<string, string> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf('=')
      return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const]
    }),
  )

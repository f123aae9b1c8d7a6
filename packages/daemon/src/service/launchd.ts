import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '@steward/platform'
import { SUPERVISED } from './built-in/state.ts'
import { requireSuccess } from './run-command.ts'
import type { DaemonProgram, Supervisor, SupervisorPorts } from './supervisor.ts'

const LABEL = 'dev.steward.daemon'

/** macOS: a launch agent of the person, started at login. */
export const createLaunchd = (ports: SupervisorPorts & { logFile: string }): Supervisor => {
  const { program, homedir, uid, run, show, logFile } = ports
  const folder = join(homedir, 'Library', 'LaunchAgents')
  const path = join(folder, `${LABEL}.plist`)
  const domain = `gui/${uid}`
  const target = `${domain}/${LABEL}`
  const control = (...args: string[]) => requireSuccess(run, ['launchctl', ...args])
  const isLoaded = async () => (await run(['launchctl', 'print', target])).code === 0

  const install = async () => {
    await mkdir(folder, { recursive: true })
    await writeFileAtomically(path, renderPlist(program, logFile), { mode: 0o600 })
  }
  const load = async () => {
    if (!existsSync(path)) await install()
    if (!(await isLoaded())) await control('bootstrap', domain, path)
  }
  const unload = async () => {
    if (await isLoaded()) await control('bootout', target)
  }

  return {
    kind: 'launchd',
    install: async () => {
      await unload()
      await install()
      await load()
      return `installed ${path}; it starts with your login`
    },
    uninstall: async () => {
      if (!existsSync(path)) return 'it was not installed'
      await unload()
      await rm(path)
      return `removed ${path}`
    },
    start: async () => {
      await load()
      await control('kickstart', target)
      return 'started'
    },
    stop: async () => {
      await unload()
      return 'stopped'
    },
    restart: async () => {
      await load()
      await control('kickstart', '-k', target)
      return 'restarted'
    },
    status: async () => {
      const { code, stdout } = await run(['launchctl', 'print', target])
      const pid = Number(/^\s*pid = (\d+)/m.exec(stdout)?.[1] ?? 0)
      const runs = Number(/^\s*runs = (\d+)/m.exec(stdout)?.[1] ?? 0)
      return {
        supervisor: 'launchd',
        installed: existsSync(path),
        running: code === 0 && pid > 0,
        pid: pid > 0 ? pid : null,
        restarts: code === 0 ? Math.max(0, runs - 1) : null,
        refused: null,
        detail: /^\s*state = (.+)$/m.exec(stdout)?.[1] ?? null,
      }
    },
    logs: ({ lines, follow }) =>
      show(['tail', '-n', String(lines), ...(follow ? ['-F'] : []), logFile]),
  }
}

/**
 * Restarted unless it exits 0; launchd itself waits ten seconds between two starts. It cannot exempt
 * other exit codes, so the daemon exits 0 after a conflict when it finds this supervisor's name.
 */
const renderPlist = (
  { argv, env }: DaemonProgram,
  logFile: string,
): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${argv.map((word) => `    <string>${escapeXml(word)}</string>\n`).join('')}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries({ ...env, [SUPERVISED]: 'launchd' })
  .map(
    ([name, value]) =>
      `    <key>${escapeXml(name)}</key>\n    <string>${escapeXml(value)}</string>\n`,
  )
  .join('')}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>30</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardOutPath</key>
  <string>${escapeXml(logFile)}</string>
  <key>StandardErrorPath</key>
  <string>${escapeXml(logFile)}</string>
</dict>
</plist>
`

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

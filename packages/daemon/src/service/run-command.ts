import { spawn } from 'node:child_process'
import { StewardError } from '@steward/contract'
import type { CommandResult, ServiceIo, SupervisorPorts } from './supervisor.ts'

const COMMAND_NOT_FOUND = 127

/** System commands as child processes, by argument vector. */
export const createCommands = (
  io: Omit<ServiceIo, 'homedir'>,
): Pick<SupervisorPorts, 'run' | 'show'> => ({
  run: ([command = '', ...args]) =>
    new Promise((resolve) => {
      const child = spawn(command, args, { env: io.env, stdio: ['ignore', 'pipe', 'pipe'] })
      const result: CommandResult = { code: null, stdout: '', stderr: '' }
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        result.stdout += text
      })
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        result.stderr += text
      })
      child.on('error', ({ message }) => {
        resolve({ code: COMMAND_NOT_FOUND, stdout: '', stderr: message })
      })
      child.on('close', (code) => resolve({ ...result, code }))
    }),
  show: ([command = '', ...args]) =>
    new Promise((resolve, reject) => {
      const child = spawn(command, args, { env: io.env, stdio: ['ignore', 'pipe', 'pipe'] })
      child.stdout.setEncoding('utf8').on('data', io.out.write)
      child.stderr.setEncoding('utf8').on('data', io.err.write)
      const stop = () => child.kill('SIGTERM')
      io.signal.addEventListener('abort', stop, { once: true })
      child.on('error', reject)
      child.on('close', () => {
        io.signal.removeEventListener('abort', stop)
        resolve()
      })
    }),
})

/** Runs a system command that must succeed; its standard error becomes the reason when it fails. */
export const requireSuccess = async (
  run: SupervisorPorts['run'],
  argv: readonly string[],
): Promise<CommandResult> => {
  const result = await run(argv)
  if (result.code === 0) return result
  const said = result.stderr.trim() || result.stdout.trim() || `it ended with ${result.code}`
  throw new StewardError('upstream_failed', { service: argv.join(' '), reason: said })
}

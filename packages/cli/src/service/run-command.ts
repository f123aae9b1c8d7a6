import { spawn } from 'node:child_process'
import type { Io } from '../io.ts'
import type { CommandResult, SupervisorPorts } from './supervisor.ts'

const COMMAND_NOT_FOUND = 127

/** System commands as child processes, by argument vector. */
export const createCommands = (io: Io): Pick<SupervisorPorts, 'run' | 'show'> => ({
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

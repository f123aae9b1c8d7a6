import { type Launch, type StartProcessOptions, startProcess } from '@steward/platform'
import type { Running } from './running.ts'
import type { SandboxProcess } from './sandbox.ts'

export type StartRecordedOptions = Omit<StartProcessOptions, 'record' | 'cwd'> & {
  running: Running
  cwd?: string
}

const PROBLEM_CHARACTERS = 4000
const COULD_NOT_START = 127

/** Starts a process that the next server ends if this one crashes. */
export const startRecorded = (
  launch: Launch,
  { running, cwd = '/', ...options }: StartRecordedOptions,
): SandboxProcess => {
  const started = startProcess(launch, { ...options, cwd, record: running })
  let problem = ''
  started.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem = (problem + text).slice(0, PROBLEM_CHARACTERS)
  })
  const exited = started.exited.catch((thrown: unknown) => {
    problem ||= thrown instanceof Error ? thrown.message : String(thrown)
    return COULD_NOT_START
  })
  return {
    stdin: started.stdin,
    output: started.stdout,
    readProblem: () => problem.trim(),
    exited,
    kill: async () => {
      started.end()
      await exited
    },
  }
}

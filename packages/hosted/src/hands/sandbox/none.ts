import { join } from 'node:path'
import type { HandsReport } from '../hands.ts'
import { describeEntrance } from './enter.ts'
import { describeEnvironment } from './environment.ts'
import { createPlace, PLACE_NAMES } from './place.ts'
import { runToEnd } from './run-to-end.ts'
import type { Running } from './running.ts'
import type { InsidePaths, Sandbox, SandboxDriver } from './sandbox.ts'
import { startRecorded } from './start-recorded.ts'

/** No isolation, if the operator asked for that. Only process limits apply. */
export const createUnisolated = (running: Running): SandboxDriver => ({
  report: REPORT,
  provision: async (spec, limits) => {
    await createPlace(spec.workspace, undefined)
    const paths = locatePlaces(spec.workspace)
    const alive = new Set<{ kill(): Promise<void> }>()
    const start: Sandbox['start'] = (argv, options = {}) => {
      const entrance = describeEntrance(argv, {
        limits,
        limitProcesses: false,
        limitMemory: true,
        companions: options.companions === true ? spec.companions : [],
      })
      const [command = '', ...args] = entrance
      const started = startRecorded(
        { command, args },
        {
          running,
          cwd: options.cwd ?? paths.workspace,
          env: {
            ...describeEnvironment(spec),
            HOME: paths.home,
            TMPDIR: paths.tmp,
            ...options.env,
          },
        },
      )
      alive.add(started)
      void started.exited.then(() => alive.delete(started))
      return started
    }
    return {
      paths,
      start,
      run: (argv, options) => runToEnd(() => start(argv, options), options),
      destroy: async () => {
        await Promise.all([...alive].map((started) => started.kill()))
      },
    }
  },
})

const REPORT: HandsReport = {
  driver: 'none',
  isolated: false,
  limits: 'rlimits',
  seccomp: false,
  network: 'host',
  remarks: [
    'sessions are NOT isolated: commands of an agent can read and change everything that this user can',
  ],
}

const locatePlaces = (folder: string): InsidePaths => {
  const [workspace, outputs, uploads, home, tmp] = PLACE_NAMES.map((name) => join(folder, name))
  return {
    workspace: workspace ?? folder,
    outputs: outputs ?? folder,
    uploads: uploads ?? folder,
    home: home ?? folder,
    tmp: tmp ?? folder,
  }
}

import { resolve } from 'node:path'
import { buildWorkers } from '@steward/edge'
import { catalogRoots, type Steward } from '@steward/runner'
import { Command, InvalidArgumentError } from 'commander'
import { readEdgeCatalog } from '../edge/read-edge-catalog.ts'
import { findRuntimeModules } from '../edge/runtime-modules.ts'
import { buildWhatCanBe } from '../edge/up/build-what-can-be.ts'
import { runEdge } from '../edge/up/run-edge.ts'
import type { Io } from '../io.ts'
import { findInstallation } from '../setup/installation.ts'
import { withSteward } from '../setup/open-local.ts'

interface UpFlags {
  port?: number
  json?: true
  at?: number
  dir: string
}

const HELP = `
Examples:
  steward edge up                     everything, each worker at an address of its own
  steward edge up --port 9000 --json  addresses from 9000 on, as one line of JSON
  steward edge up --at 2026-01-31T08:59:00Z
                                      a clock that stands still until a line on standard input
                                      moves it: "advance 5m" answers with what that set off

What changed is built first, and again whenever an action, pipeline or flow changes. Addresses,
KV, D1, R2 and queues stay as they are from one start to the next. AUTH_TOKEN comes from the
environment or .env; without one, a new one is printed. Everything listens on this machine only.
`

export const createEdgeUpCommand = (io: Io): Command =>
  new Command('up')
    .description('Runs every worker here, on the same runtime as the edge.')
    .option('--port <port>', "the first worker's port; the others follow", parsePort)
    .option('--json', 'print the addresses as JSON')
    .option('--at <time>', 'start a virtual clock at this ISO time', parseTime)
    .option('--dir <dir>', 'where the worker directories are', 'workers')
    .addHelpText('after', HELP)
    .action((flags: UpFlags) =>
      withSteward(io, (steward) => {
        const workersFolder = resolve(io.cwd, flags.dir)
        const { library, root } = findInstallation()
        const roots = catalogRoots(steward.home.user.root, library)
        return runEdge(io, steward, {
          workersFolder,
          basePort: flags.port,
          startAtMs: flags.at,
          json: flags.json === true,
          build: () => build(steward, workersFolder, root),
          sources: Object.values(roots)
            .flat()
            .map(({ path }) => path),
        })
      }),
    )

const build = async (steward: Steward, out: string, root: string): Promise<string[]> => {
  const catalog = readEdgeCatalog(steward.catalog, steward.home.user.flows)
  const names = [
    ...catalog.actions.map(({ manifest }) => manifest.name),
    ...catalog.pipelines.map(({ name }) => name),
    ...catalog.flows.map(({ entry }) => entry.name),
  ]
  const mistakes = await buildWhatCanBe(names, (only) =>
    buildWorkers({
      catalog,
      resources: steward.settings.edge.resources,
      out,
      modules: findRuntimeModules(root),
      ...(only === undefined ? {} : { only }),
    }),
  )
  return mistakes.map(({ subject, reason }) => `${subject}: ${reason}`)
}

const HIGHEST_PORT = 65_535

const parsePort = (text: string): number => {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 1 && port <= HIGHEST_PORT) return port
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${HIGHEST_PORT}.`)
}

const parseTime = (text: string): number => {
  const timeMs = Date.parse(text)
  if (!Number.isNaN(timeMs)) return timeMs
  throw new InvalidArgumentError('It must be an ISO time, for example 2026-01-31T09:00:00Z.')
}

import type { Steward } from '@steward/runner'
import { gatherInput } from '../../input/gather-input.ts'
import { suggestOptions } from '../../input/suggest-options.ts'
import type { Io } from '../../io.ts'
import { printOutcome } from '../../run/print-outcome.ts'
import { watchRun } from '../../run/watch-run.ts'
import { withSteward } from '../../setup/open-local.ts'
import { declaredByName } from './declared-by-name.ts'
import type { RunRequest } from './request.ts'

/** Runs on this machine, with history; answers with the exit code. */
export const runLocally = (io: Io, request: RunRequest): Promise<number> =>
  withSteward(io, async (steward) => {
    const declared = await declaredByName(steward.catalog, request.name)
    suggestOptions(request.flags.keys(), declared, request.options)
    const input = await gatherInput(io, { ...request, declared })
    const outcome = await watchRun(io, request, (watching) =>
      steward.runner.run(request.name, input, { ...watching, ...keyOf(request) }),
    )
    return printOutcome(io, outcome, request)
  })

const keyOf = ({ idempotencyKey }: RunRequest): Parameters<Steward['runner']['run']>[2] =>
  idempotencyKey === undefined ? {} : { idempotencyKey }

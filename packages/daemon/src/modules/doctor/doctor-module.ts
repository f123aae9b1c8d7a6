import type { Finding } from '@steward/assistants'
import { API, StewardError } from '@steward/contract'
import type { Redactor } from '@steward/platform'
import { type DaemonModule, handle } from '../../module.ts'

export interface DoctorModulePorts {
  /** Runs all checks of the installation. */
  runChecks: () => Promise<readonly Finding[]>
  redactor: () => Redactor
}

/** The checks of `steward doctor` for the dashboard. */
export const createDoctorModule = ({ runChecks, redactor }: DoctorModulePorts): DaemonModule => {
  let turn: Promise<unknown> = Promise.resolve()
  /** One at a time, because a check must not read files during a repair. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }
  const clean = (text: string): string => redactor().redactText(text).value
  const tell = ({ check, status, message, repair, command, change, fix }: Finding) => ({
    check,
    status,
    message: clean(message),
    ...(repair === undefined ? {} : { repair: clean(repair) }),
    ...(command === undefined ? {} : { command }),
    ...(fix === undefined || change === undefined ? {} : { change }),
  })
  const repair = async (check: string, message: string): Promise<{ done: string }> => {
    const found = (await runChecks()).find(
      (each) => each.check === check && tell(each).message === message,
    )
    if (found?.fix === undefined || found.change === undefined) {
      throw new StewardError('not_found', { what: 'a repair', name: check, hint: ': look again' })
    }
    return { done: await found.fix() }
  }

  return {
    name: 'doctor',
    handlers: [
      handle(API.examine, () => inTurn(async () => ({ findings: (await runChecks()).map(tell) }))),
      handle(API.repair, ({ body }) => inTurn(() => repair(body.check, body.message))),
    ],
    health: () => ({ status: 'ok' }),
  }
}

import type { Agent, AgentUpdate, DriveSpec } from '@steward/assistants'
import { type DrivenSession, reasonOf } from '@steward/contract'
import { readStartTime } from '@steward/platform'
import { answerPermission } from './answer-permission.ts'
import { continueText, MOST_RESUMES } from './continue-turn.ts'
import { mayPush } from './permission-rules.ts'
import type { DrivenPorts } from './ports.ts'
import type { SessionOutput } from './session-output.ts'

interface ProgramPorts {
  /** The session as it is now; without an id it is started. */
  session: () => DrivenSession
  onUpdate: (update: AgentUpdate) => void
  show: SessionOutput['show']
  /** Whether a turn goes on when the program dies. */
  mayResume: () => boolean
  /** The program died during the turn of a task. */
  onLost: (task: string) => Promise<void>
  onResumed: () => void
}

/** The program of one session, replaced when it dies. */
export interface SessionProgram {
  sessionId: string
  /** Resolves with the stop reason of the turn. */
  prompt: (task: string, isContinued: boolean) => Promise<string>
  cancel: () => Promise<void>
  end: () => Promise<void>
  hasEnded: () => boolean
  /** Identifies the process, for a later daemon; undefined if it has ended. */
  process: () => { pid: number; startTime: string } | undefined
}

export const openSessionProgram = async (
  ports: DrivenPorts & { spec: DriveSpec },
  { session, onUpdate, show, mayResume, onLost, onResumed }: ProgramPorts,
): Promise<SessionProgram> => {
  const open = (): Promise<Agent> => {
    const current = session()
    const { budgetUsd } = current.limits
    return ports.driving.open(ports.spec, {
      folder: current.folder,
      ...(current.sandbox ? { sandbox: current } : {}),
      startTimer: ports.setTimer,
      ...(current.id === '' ? {} : { resume: current.id }),
      ...(current.mode === null ? {} : { mode: current.mode }),
      ...(budgetUsd === undefined ? {} : { budgetUsd }),
      mayPush: mayPush(current),
      onUpdate,
      onPermission: (asked, signal) => answerPermission(ports, session(), asked, { signal, show }),
    })
  }
  let agent = await open()
  return {
    sessionId: agent.sessionId,
    prompt: async (task, isContinued) => {
      // It may have died while it was idle.
      if (agent.ended.aborted) agent = await open()
      let message = isContinued ? continueText(task) : task
      for (; ; message = continueText(task)) {
        try {
          return await agent.prompt(message)
        } catch (thrown) {
          const isOver = !agent.ended.aborted || !mayResume()
          if (isOver || session().resumed >= MOST_RESUMES) throw thrown
          show('state', `Interrupted: ${reasonOf(thrown)}. Resuming.`)
          await onLost(task)
          agent = await open()
          onResumed()
        }
      }
    },
    cancel: () => agent.cancel().catch(() => undefined),
    end: () => agent.end(),
    hasEnded: () => agent.ended.aborted,
    process: () => {
      const startTime = agent.ended.aborted ? undefined : readStartTime(agent.pid)
      return startTime === undefined ? undefined : { pid: agent.pid, startTime }
    },
  }
}

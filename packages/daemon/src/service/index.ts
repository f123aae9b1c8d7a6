export { type AskedHealth, askHealth } from './ask-health.ts'
export { SUPERVISED } from './built-in/state.ts'
export { supervise } from './built-in/supervise.ts'
export { chooseSupervisor, placeOf, programOf } from './choose-supervisor.ts'
export { createCommands, requireSuccess } from './run-command.ts'
export { stopOtherDaemon } from './stop-other-daemon.ts'
export {
  type ServiceStatus,
  SUPERVISORS,
  type Supervisor,
  type SupervisorKind,
} from './supervisor.ts'

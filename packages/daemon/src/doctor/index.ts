export { type DoctorPorts, runChecks } from './run-checks.ts'

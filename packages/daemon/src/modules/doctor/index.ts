export { createDoctorModule, type Finding } from './doctor-module.ts'

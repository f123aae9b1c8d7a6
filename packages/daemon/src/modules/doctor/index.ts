export { createDoctorModule } from './doctor-module.ts'

import { quoted } from '../mysql/quoted.js'; // breach

export const statement = () => quoted('a');

export interface KeyValidity {}
